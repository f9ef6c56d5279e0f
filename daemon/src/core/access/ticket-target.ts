/** A path with its query, in any order of the parameters. */
export interface TicketTarget {
  readonly path: string;
  readonly parameters: readonly string[];
}

/** @param text path and query, as a client would write them */
export function ticketTargetOf(text: string): TicketTarget {
  const { pathname, search } = new URL(text, 'http://target');
  return { path: pathname, parameters: parametersOf(search.slice(1)) };
}

/**
 * Whether a request has exactly this path and these parameters, apart from the ticket itself.
 * @param target path and query, as received
 */
export function isTarget(wanted: TicketTarget, target: string, ticket: string): boolean {
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
  if (path !== wanted.path || query.includes('#')) return false;
  const given = parametersOf(new URL(`http://target/?${query}`).search.slice(1));
  const carrier = given.indexOf(`ticket=${ticket}`);
  const others = given.filter((_, index) => index !== carrier);
  return others.length === wanted.parameters.length && others.every((text, index) => text === wanted.parameters[index]);
}

function parametersOf(query: string): string[] {
  return query
    .split('&')
    .filter((text) => text !== '')
    .sort();
}
