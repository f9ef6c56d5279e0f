/** Whether a URL path lies at or below a prefix, judged at segment boundaries: `/vnc` covers `/vnc/x`, never `/vncx`. */
export function isUnder(path: string, prefix: string): boolean {
  const base = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  return base === '' || path === base || path.startsWith(`${base}/`);
}

/**
 * Whether every program resolves the path alike: no encoded slash, dot or backslash and no dot segments, which another
 * program could resolve to a path outside the prefix (RFC 3986 §6.2.2).
 */
function isUnambiguous(path: string): boolean {
  return !/%2f|%5c|%2e|\\/i.test(path) && !path.split('/').some((segment) => segment === '.' || segment === '..');
}

/** Whether requests can have such a path, and every program resolves it alike. */
export function isPlainPath(path: string): boolean {
  return /^\/[\x21\x22\x24-\x3e\x40-\x7e]*$/.test(path) && isUnambiguous(path);
}

/** A whole preview: the gateway matches its prefix literally, and the application resolves the rest. */
const PREVIEW = /^\/(?:abs)?proxy\/\d+\/?$/;

/** Whether a credential for a prefix is valid for a path. */
export function covers(prefix: string, path: string): boolean {
  return isUnder(path, prefix) && (prefix === '/' || PREVIEW.test(prefix) || isUnambiguous(path));
}
