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

export function carriesCredential(query: string | undefined): boolean {
  return query?.split('&').some(isCredential) ?? false;
}

/** The target without credential parameters; all other bytes stay unchanged. */
export function withoutCredentials({ path, query }: Target): string {
  const kept = query?.split('&').filter((parameter) => !isCredential(parameter)) ?? [];
  return kept.length > 0 ? `${path}?${kept.join('&')}` : path;
}

function isCredential(parameter: string): boolean {
  const name = parameter.split('=', 1)[0] ?? '';
  return CREDENTIAL_PARAMETERS.has(decoded(name));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
