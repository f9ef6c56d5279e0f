import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import { LinkTicket } from '../../core/access/link-ticket.ts';
import type { PublicCaller } from '../../core/access/public-caller.ts';
import type { TicketStore } from '../../core/access/tickets.ts';

const SOCKET = GATEWAY_PATHS.desktopSocket.slice(1);

/**
 * Addresses of the browser that a client can use as they are: with the origin that the caller used, the path that a
 * trusted proxy removed, and the caller's query. A caller with the key in a header gets tickets for these paths, since
 * neither a page nor a client of DevTools sends that header; a ticket or a cookie of a page is never widened.
 */
export class PublicUrls {
  readonly #devtools: LinkTicket;
  readonly #page: LinkTicket;
  readonly #socket: LinkTicket;

  constructor(tickets: TicketStore) {
    this.#devtools = new LinkTicket(tickets, GATEWAY_PATHS.browser);
    this.#page = new LinkTicket(tickets, GATEWAY_PATHS.desktop);
    this.#socket = new LinkTicket(tickets, GATEWAY_PATHS.desktopSocket);
  }

  of({ isSecure, base: host, query: given, needsTicket, credential }: PublicCaller): {
    readonly cdp: string;
    readonly vnc: string;
  } {
    const base = `://${host}`;
    const query = (link: LinkTicket): string =>
      [...(given === '' ? [] : [given]), ...(needsTicket ? [`ticket=${link.current(credential)}`] : [])].join('&');
    const mark = (text: string): string => (text === '' ? '' : `?${text}`);
    const [devtools, page, socket] = [
      query(this.#devtools),
      query(this.#page),
      `${SOCKET}${mark(query(this.#socket))}`,
    ];
    const pageQuery = ['autoconnect=true', `path=${encodeURIComponent(socket)}`, ...(page === '' ? [] : [page])].join(
      '&',
    );
    return {
      cdp: `${isSecure ? 'wss' : 'ws'}${base}${GATEWAY_PATHS.browser}${mark(devtools)}`,
      vnc: `${isSecure ? 'https' : 'http'}${base}${GATEWAY_PATHS.desktop}/index.html?${pageQuery}`,
    };
  }
}
