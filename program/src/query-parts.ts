/**
 * The parameters of a query, each with the separator that follows it: `&`, or `;`, which some applications accept too.
 * The positions in this list name the parameters with a credential between daemon and gateway.
 */
export function queryParts(query: string): string[] {
  return query.split(/(?<=[&;])/);
}
