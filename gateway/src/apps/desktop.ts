import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { Admission } from '../exchange/admission.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { sendError, sendResponse } from '../exchange/responses.ts';
import type { Address } from '../net/address.ts';
import { RfbRelay } from './rfb-relay.ts';
import { redirectToSlash } from './slash-redirect.ts';
import { StaticFiles } from './static-files.ts';

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
      sendError(exchange, 404, { message: 'the WebSocket of the desktop is at /websockify' });
    else if (isUpgrade(exchange))
      sendError(exchange, 404, { message: 'the WebSocket of the desktop is at /websockify' });
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
    const isPage = path === '' || path === 'index.html';
    if (isPage && !(await this.#files.has(APPLICATION))) {
      sendError(exchange, 503, {
        message: `noVNC's pages are not in ${this.#files.directory}`,
        hint: 'apt-get install --no-install-recommends novnc, or set GATEWAY_NOVNC_DIR to its directory',
      });
      return;
    }
    const headers = { 'Content-Security-Policy': `${POLICY}; ${frameRule}` };
    await this.#files.send(exchange, { path: isPage ? APPLICATION : path, headers, cookies });
  }
}
