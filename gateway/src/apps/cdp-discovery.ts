/** Public address of DevTools: the part before `/devtools/…`, and the query with the credential. */
export interface PublicDevtools {
  readonly scheme: 'ws' | 'wss';
  /** Host and path prefix, without a trailing slash: `box.example/cdp`. */
  readonly base: string;
  /** With the question mark, or empty. */
  readonly query: string;
}

/**
 * Rewrites Chromium's discovery (`/json/version`, `/json/list`, `/json/new`) to addresses that the client can reach.
 * @returns undefined if the body is not JSON
 */
export function rewriteDiscovery(body: string, devtools: PublicDevtools): string | undefined {
  try {
    return JSON.stringify(rewriteValue(JSON.parse(body), devtools), undefined, 3);
  } catch {
    return undefined;
  }
}

function rewriteValue(value: unknown, devtools: PublicDevtools): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, devtools));
  if (typeof value !== 'object' || value === null) return value;
  const entry: Record<string, unknown> = { ...value };
  const path = devtoolsPath(entry['webSocketDebuggerUrl']);
  if (path === undefined) return entry;
  const { scheme, base, query } = devtools;
  entry['webSocketDebuggerUrl'] = `${scheme}://${base}${path}${query}`;
  const frontend = entry['devtoolsFrontendUrl'];
  if (typeof frontend === 'string') {
    entry['devtoolsFrontendUrl'] = frontend.replace(
      /([?&])wss?=[^&]*/,
      (_all, mark: string) => `${mark}${scheme}=${encodeURIComponent(`${base}${path}${query}`)}`,
    );
  }
  return entry;
}

/** The path of a DevTools URL: `/devtools/browser/…`, `/devtools/page/…`; undefined for any other value. */
export function devtoolsPath(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { pathname } = new URL(url);
  return pathname.startsWith('/devtools/') ? pathname : undefined;
}
