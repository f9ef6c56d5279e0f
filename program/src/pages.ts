/** The gateway's own paths; the daemon uses them for the scope of cookies. All other paths belong to the daemon. */
export const GATEWAY_PATHS = {
  landing: '/',
  /** What the landing page loads with the key. */
  app: '/app',
  browser: '/cdp',
  /** Chromium's own path of the discovery, for clients that get a host and a port. */
  discovery: '/json',
  desktop: '/vnc',
  desktopSocket: '/websockify',
  codeServer: '/code-server',
  jupyter: '/jupyter',
  terminal: '/terminal',
  openPreview: '/open',
  preview: '/proxy',
  absolutePreview: '/absproxy',
  /** The gateway's own figures. */
  metrics: '/gateway/metrics',
  /** Pages of the daemon's; the gateway asks for the key with a form. */
  explorer: '/docs',
  explorerV1: '/v1/docs',
} as const;

/** A page that can be opened by a URL with a credential. */
export interface Page {
  readonly path: string;
  /** Further prefixes that the page requests. */
  readonly opens?: readonly string[];
  /** Whether each port below the path is a separate page. */
  readonly perPort?: boolean;
}

/** The gateway's pages that need nothing of the daemon; capabilities declare the others. The cookie of the landing page is good for every path. */
export const PAGES: readonly Page[] = [
  { path: GATEWAY_PATHS.landing },
  { path: GATEWAY_PATHS.desktop, opens: [GATEWAY_PATHS.desktopSocket, '/v2/session'] },
  { path: GATEWAY_PATHS.codeServer },
  { path: GATEWAY_PATHS.jupyter },
  { path: GATEWAY_PATHS.preview, perPort: true },
  { path: GATEWAY_PATHS.absolutePreview, perPort: true },
  { path: GATEWAY_PATHS.explorer },
  { path: GATEWAY_PATHS.explorerV1 },
];

/** The prefixes that the cookie of the page at a path covers; undefined if the path is no page. */
export function prefixesOfPage(path: string, pages: readonly Page[]): readonly string[] | undefined {
  for (const page of pages) {
    const own = ownPrefix(page, path);
    if (own !== undefined) return [own, ...(page.opens ?? [])];
  }
  return undefined;
}

function ownPrefix({ path: own, perPort }: Page, path: string): string | undefined {
  if (own === '/') return path === '/' ? own : undefined;
  if (!perPort) return path === own || path.startsWith(`${own}/`) ? own : undefined;
  if (!path.startsWith(`${own}/`)) return undefined;
  const port = path.slice(own.length + 1).split('/', 1)[0] ?? '';
  return /^\d+$/.test(port) ? `${own}/${port}` : undefined;
}

/** The port of a path that opens a preview, as it is written; undefined for any other path. */
export function portOfOpenPreview(path: string): string | undefined {
  const port = path.startsWith(`${GATEWAY_PATHS.openPreview}/`) ? path.slice(GATEWAY_PATHS.openPreview.length + 1) : '';
  return /^[1-9]\d{0,4}$/.test(port) ? port : undefined;
}

/** The port of a path that a preview serves, which the gateway reads the same way; undefined for any other path. */
export function portOfPreview(path: string): number | undefined {
  const [, kind = '', text = ''] = path.split('/', 3);
  const isPreview = `/${kind}` === GATEWAY_PATHS.preview || `/${kind}` === GATEWAY_PATHS.absolutePreview;
  return isPreview && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;
}

/** Header of the daemon's answers to the gateway: the request had a valid credential, or the service needs none. */
export const ADMITTED = 'x-admitted';
