import type { IncomingHttpHeaders } from 'node:http';

/** Headers with the plain key; the last one is the name of 1.x. */
const KEY_HEADERS = ['x-api-key', 'x-svc-api-key', 'x-aio-api-key'] as const;

/** The credentials of a request. One valid credential among several is sufficient. */
export interface Credentials {
  readonly headerKeys: readonly { readonly field: string; readonly value: string }[];
  readonly queryKeys: readonly string[];
  readonly tickets: readonly string[];
  readonly cookie: string | undefined;
}

export function credentialsOf(headers: IncomingHttpHeaders, query: string): Credentials {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const headerKeys = KEY_HEADERS.flatMap((field) => [headers[field] ?? []].flat().map((value) => ({ field, value })));
  // A name may be percent-encoded.
  const parameters = /(?:api_key|ticket)=|%/.test(query) ? new URLSearchParams(query) : undefined;
  return {
    headerKeys: bearer === undefined ? headerKeys : [{ field: 'authorization', value: bearer }, ...headerKeys],
    queryKeys: parameters?.getAll('api_key') ?? [],
    tickets: parameters?.getAll('ticket') ?? [],
    cookie: headers.cookie,
  };
}
