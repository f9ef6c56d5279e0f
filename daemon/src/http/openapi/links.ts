/** Links of a response of status 200, in the form of the route option `links`. */
type ResponseLinks = Record<string, Record<string, { operationId: string; parameters: Record<string, string> }>>;

/**
 * Links from what a route creates to the operations that use it.
 * @param parameters a parameter of the operations, and where the response has its value (RFC 6901), such as `/data/id`
 */
export function linksTo(parameters: Readonly<Record<string, string>>, operationIds: readonly string[]): ResponseLinks {
  const values = Object.fromEntries(
    Object.entries(parameters).map(([name, pointer]) => [name, `$response.body#${pointer}`]),
  );
  return { 200: Object.fromEntries(operationIds.map((id) => [id, { operationId: id, parameters: values }])) };
}
