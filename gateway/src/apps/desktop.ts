import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { Admission } from '../auth.ts';
import { answer, answerRefusal } from '../exchange/answers.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import type { Address } from '../net/address.ts';
import { RfbRelay } from './rfb-relay.ts';
import { answerSlash } from './slash.ts';
import { StaticFiles } from './static-files.ts';

const PAGES = GATEWAY_PATHS.desktop;
/** Where noVNC's page has its WebSocket: older versions resolve its path against the root, newer ones against the page. */
const SOCKETS: ReadonlySet<string> = new Set(
  [GATEWAY_PATHS.desktopSocket, `${PAGES}${GATEWAY_PATHS.desktopSocket}`].flatMap((path) => [path, `${path}/`]),
);
/** What a person wants who opens the desktop without saying how. */
const FIRST_VIEW = 'index.html?autoconnect=true&resize=scale&reconnect=true';
/** noVNC's application; Debian's package calls it so, the link of 1.x `index.html`. */
const APPLICATION = 'vnc.html';
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'self' 'unsafe-inline' data: blob:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; form-action 'self'",
};

/** The desktop in a browser: noVNC's pages, and the WebSocket that they speak RFB over (RFC 6143). */
export class Desktop {
  readonly address: Address;
  readonly #files: StaticFiles;
  readonly #relay: RfbRelay;

  constructor(address: Address, directory: string) {
    this.address = address;
    this.#files = new StaticFiles(directory);
    this.#relay = new RfbRelay(address);
  }

  async answer(exchange: Exchange, admission: Admission): Promise<void> {
    const { path, query } = exchange.target;
    if (SOCKETS.has(path)) this.#answerSocket(exchange, admission);
    else if (!path.startsWith(PAGES))
      answerRefusal(exchange, 404, { message: 'the desktop has its WebSocket at /websockify' });
    else if (isUpgrade(exchange))
      answerRefusal(exchange, 404, { message: 'the desktop has its WebSocket at /websockify' });
    else if (path === PAGES) answerSlash(exchange, admission);
    else if (path === `${PAGES}/` && query === undefined) this.#lead(exchange, admission);
    else await this.#answerFile(exchange, path.slice(PAGES.length + 1), admission);
  }

  #answerSocket(exchange: Exchange, admission: Admission): void {
    if (isUpgrade(exchange)) {
      this.#relay.answer(exchange, admission);
      return;
    }
    answerRefusal(exchange, 426, {
      message: 'this is the WebSocket of the desktop',
      hint: 'open /vnc/ in a browser, or connect a WebSocket that carries RFB in binary frames',
      headers: { Upgrade: 'websocket' },
    });
  }

  #lead(exchange: Exchange, { cookies }: Admission): void {
    const Location = FIRST_VIEW;
    answer(exchange, 302, cookies.length > 0 ? { Location, 'Set-Cookie': [...cookies] } : { Location }, '');
  }

  async #answerFile(exchange: Exchange, path: string, { cookies }: Admission): Promise<void> {
    const isPage = path === '' || path === 'index.html';
    if (isPage && !(await this.#files.has(APPLICATION))) {
      answerRefusal(exchange, 503, {
        message: `noVNC's pages are not in ${this.#files.directory}`,
        hint: 'apt-get install --no-install-recommends novnc, or name its directory by GATEWAY_NOVNC_DIR',
      });
      return;
    }
    await this.#files.answer(exchange, { path: isPage ? APPLICATION : path, headers: HEADERS, cookies });
  }
}
