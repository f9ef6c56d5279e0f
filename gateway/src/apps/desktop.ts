import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { Admission } from '../exchange/admission.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { sendError, sendResponse } from '../exchange/responses.ts';
import type { Address } from '../net/address.ts';
import { PageFiles } from './page-files.ts';
import { RfbRelay } from './rfb-relay.ts';
import { redirectToSlash } from './slash-redirect.ts';
import { FILE_HEADERS, StaticFiles } from './static-files.ts';

const PAGES = GATEWAY_PATHS.desktop;
/** WebSocket paths of noVNC: older versions resolve the path against the root, newer ones against the page. */
const SOCKETS: ReadonlySet<string> = new Set(
  [GATEWAY_PATHS.desktopSocket, `${PAGES}${GATEWAY_PATHS.desktopSocket}`].flatMap((path) => [path, `${path}/`]),
);
/** Default view of the desktop for a URL without a query. */
const DEFAULT_VIEW = 'index.html?autoconnect=true&resize=scale&reconnect=true';
/** noVNC's main page in Debian's package; links of 1.x name it `index.html`. */
const APPLICATION = 'vnc.html';
const POLICY =
  "default-src 'self' 'unsafe-inline' data: blob:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; form-action 'self'";

/** Names of the files that the gateway adds to noVNC's. */
const OWN_FILES = /^svc-[a-z.-]+$/;
/** Added to noVNC's page: why there is no connection, who opened it, the way out, and whose the focus is. */
const ADDITION =
  '<link rel="stylesheet" href="svc-notice.css"><script type="module" src="svc-notice.js"></script>' +
  '<script type="module" src="svc-focus.js"></script>' +
  '<script type="module" src="svc-signed-in.js"></script></head>';
const OWN = new PageFiles('desktop');

/** The desktop in a browser: noVNC's pages, and the WebSocket that carries RFB (RFC 6143). */
export class Desktop {
  readonly address: Address;
  readonly #files: StaticFiles;
  readonly #relay: RfbRelay;

  constructor(address: Address, directory: string) {
    this.address = address;
    this.#files = new StaticFiles(directory);
    this.#relay = new RfbRelay(address);
  }

  async handle(exchange: Exchange, admission: Admission): Promise<void> {
    const { path, query } = exchange.target;
    if (SOCKETS.has(path)) this.#handleSocket(exchange, admission);
    else if (!path.startsWith(PAGES))
      sendError(exchange, 404, {
        message: 'the WebSocket of the desktop is at /websockify',
        hint: 'connect to /websockify; the page is at /vnc/',
      });
    else if (isUpgrade(exchange))
      sendError(exchange, 404, {
        message: 'the WebSocket of the desktop is at /websockify',
        hint: 'connect to /websockify; the page is at /vnc/',
      });
    else if (path === PAGES) redirectToSlash(exchange, admission);
    else if (path === `${PAGES}/` && query === undefined) this.#redirectToDefaultView(exchange, admission);
    else await this.#sendFile(exchange, path.slice(PAGES.length + 1), admission);
  }

  #handleSocket(exchange: Exchange, admission: Admission): void {
    if (isUpgrade(exchange)) {
      this.#relay.accept(exchange, admission);
      return;
    }
    sendError(exchange, 426, {
      message: 'this path is the WebSocket of the desktop',
      hint: 'open /vnc/ in a browser, or connect a WebSocket that carries RFB in binary frames',
      headers: { Upgrade: 'websocket' },
    });
  }

  #redirectToDefaultView(exchange: Exchange, { cookies }: Admission): void {
    const Location = DEFAULT_VIEW;
    sendResponse(exchange, 302, cookies.length > 0 ? { Location, 'Set-Cookie': [...cookies] } : { Location }, '');
  }

  async #sendFile(exchange: Exchange, path: string, { cookies, frameRule }: Admission): Promise<void> {
    const headers = { 'Content-Security-Policy': `${POLICY}; ${frameRule}` };
    if (OWN_FILES.test(path)) {
      await OWN.send(exchange, path, { headers, cookies });
    } else if (path === '' || path === 'index.html' || path === APPLICATION) {
      await this.#sendPage(exchange, { headers, cookies });
    } else {
      await this.#files.send(exchange, { path, headers, cookies });
    }
  }

  async #sendPage(
    exchange: Exchange,
    { headers, cookies }: { readonly headers: Readonly<Record<string, string>>; readonly cookies: readonly string[] },
  ): Promise<void> {
    const page = await this.#files.read(APPLICATION);
    if (page === undefined) {
      sendError(exchange, 503, {
        message: `noVNC's pages are not in ${this.#files.directory}`,
        hint: 'apt-get install --no-install-recommends novnc, or set GATEWAY_NOVNC_DIR to its directory',
      });
    } else if (exchange.req.method !== 'GET' && exchange.req.method !== 'HEAD') {
      await this.#files.send(exchange, { path: APPLICATION });
    } else {
      const fields = { ...FILE_HEADERS, ...headers, 'Content-Type': 'text/html; charset=utf-8' };
      const all = cookies.length > 0 ? { ...fields, 'Set-Cookie': [...cookies] } : fields;
      sendResponse(exchange, 200, all, page.replace('</head>', ADDITION));
    }
  }
}
