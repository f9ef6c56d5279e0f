/** A request target in origin-form, exactly as received: neither decoded nor normalised. */
export interface Target {
  readonly raw: string;
  readonly path: string;
  /** Without the question mark; undefined if the target has none. */
  readonly query: string | undefined;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Parses a request target (RFC 9112 §3.2). An absolute-form must have the authority of the Host header, so that the
 * two cannot disagree later.
 * @returns undefined for a target that cannot be routed, which is status 400
 */
export function parseTarget(url: string, host: string | undefined): Target | undefined {
  if (url.startsWith('/')) return originForm(url);
  const [, authority, rest = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined || authority.toLowerCase() !== host?.toLowerCase()) return undefined;
  if (rest === '') return originForm('/');
  if (rest.startsWith('?')) return originForm(`/${rest}`);
  return rest.startsWith('/') ? originForm(rest) : undefined;
}

function originForm(raw: string): Target {
  const mark = raw.indexOf('?');
  return mark < 0
    ? { raw, path: raw, query: undefined }
    : { raw, path: raw.slice(0, mark), query: raw.slice(mark + 1) };
}

const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set(['api_key', 'ticket']);

export function isCredentialParameter(name: string): boolean {
  return CREDENTIAL_PARAMETERS.has(name);
}

/** Whether the query has a parameter with the name of a credential, valid or not. */
export function namesCredential(query: string | undefined): boolean {
  return query !== undefined && [...new URLSearchParams(query).keys()].some(isCredentialParameter);
}

/** A target with another query. */
export function withQuery({ path }: Target, query: string | undefined): Target {
  return { raw: query === undefined ? path : `${path}?${query}`, path, query };
}

/**
 * A target as a reference for a redirect to itself. It is relative to its own directory, so that it names no other host
 * and works behind a proxy that strips a prefix (RFC 3986 §4.2).
 */
export function ownReference({ path, query }: Target): string {
  // Browsers read a backslash as a slash.
  const last = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return `./${path.slice(last + 1)}${query === undefined ? '' : `?${query}`}`;
}
