/** Where a client reaches DevTools: what stands before `/devtools/…`, and the query that lets it in. */
export interface PublicDevtools {
  readonly scheme: 'ws' | 'wss';
  /** Host and prefix, without a slash at the end: `box.example/cdp`. */
  readonly place: string;
  /** With its question mark, or empty. */
  readonly query: string;
}

/**
 * Chromium's discovery (`/json/version`, `/json/list`, `/json/new`) with addresses that the client can reach.
 * @returns undefined for what is not JSON.
 */
export function rewriteDiscovery(body: string, devtools: PublicDevtools): string | undefined {
  try {
    return JSON.stringify(rewritten(JSON.parse(body), devtools), undefined, 3);
  } catch {
    return undefined;
  }
}

function rewritten(value: unknown, devtools: PublicDevtools): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, devtools));
  if (typeof value !== 'object' || value === null) return value;
  const entry: Record<string, unknown> = { ...value };
  const path = devtoolsPath(entry['webSocketDebuggerUrl']);
  if (path === undefined) return entry;
  const { scheme, place, query } = devtools;
  entry['webSocketDebuggerUrl'] = `${scheme}://${place}${path}${query}`;
  const frontend = entry['devtoolsFrontendUrl'];
  if (typeof frontend === 'string') {
    entry['devtoolsFrontendUrl'] = frontend.replace(
      /([?&])wss?=[^&]*/,
      (_all, mark: string) => `${mark}${scheme}=${encodeURIComponent(`${place}${path}${query}`)}`,
    );
  }
  return entry;
}

/** The path of a DevTools address: `/devtools/browser/…`, `/devtools/page/…`. */
export function devtoolsPath(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const { pathname } = new URL(address);
  return pathname.startsWith('/devtools/') ? pathname : undefined;
}
