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

const CREDENTIAL_PARAMETERS = new Set(['api_key', 'ticket']);

/** Whether the query has a parameter with the name of a credential, valid or not. */
export function namesCredential(query: string | undefined): boolean {
  return query !== undefined && [...new URLSearchParams(query).keys()].some((name) => CREDENTIAL_PARAMETERS.has(name));
}

/** The path as a reference to this host: with two slashes at its beginning it would name another (RFC 3986 §4.2). */
export function pathReference({ path }: Target): string {
  return /^\/[/\\]/.test(path) ? `/.${path}` : path;
}
