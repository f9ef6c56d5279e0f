/** Whether a URL path lies at or below a prefix, judged at segment boundaries: `/vnc` covers `/vnc/x`, never `/vncx`. */
export function isUnder(path: string, prefix: string): boolean {
  const base = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  return base === '' || path === base || path.startsWith(`${base}/`);
}

/**
 * Whether the path means the same to everybody who reads it: no encoded slash, dot or backslash and no dot segments,
 * so that no later hand can resolve it to a place outside its prefix (RFC 3986 §6.2.2).
 */
function isUnambiguous(path: string): boolean {
  return !/%2f|%5c|%2e|\\/i.test(path) && !path.split('/').some((segment) => segment === '.' || segment === '..');
}

/** A whole preview: what follows is the business of what listens there, and the gateway takes the prefix as it stands. */
const PREVIEW = /^\/(?:abs)?proxy\/\d+\/?$/;

/** Whether a credential for a prefix is good for a path, whoever reads that path later. */
export function covers(prefix: string, path: string): boolean {
  return isUnder(path, prefix) && (prefix === '/' || PREVIEW.test(prefix) || isUnambiguous(path));
}
