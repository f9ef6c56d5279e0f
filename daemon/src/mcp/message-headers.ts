/** Headers of a request by their names in lower case, as Node has them; a `Headers` of each would cost 10 us. */
export type MessageHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header; undefined if it is absent, or a list. */
export function headerOf(headers: MessageHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The headers for an API of the web, as those of a JSON message, for any type they state. */
export function webHeaders(headers: MessageHeaders): Headers {
  const given = Object.keys(headers).flatMap((name): [string, string][] => {
    const value = headerOf(headers, name);
    return value === undefined ? [] : [[name, value]];
  });
  const made = new Headers(given);
  made.set('content-type', 'application/json');
  return made;
}
