import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { FastifyRequest } from 'fastify';
import { LinkTicket } from '../../../core/access/link-ticket.ts';
import type { TicketStore } from '../../../core/access/tickets.ts';
import { credentialKindOf, credentialOf, publicBaseOf } from '../../../http/access/guard.ts';

const SOCKET = GATEWAY_PATHS.desktopSocket.slice(1);

/** A query that already has a credential for these links. */
const HAS_CREDENTIAL = /(?:^|&)(?:api_key|ticket)=/;

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

  of(request: FastifyRequest): { readonly cdp: string; readonly vnc: string } {
    const { secure: isSecure, base: host } = publicBaseOf(request);
    const base = `://${host}`;
    const given = request.raw.url?.split('?').slice(1).join('?') ?? '';
    const needsTicket = credentialKindOf(request) === 'header' && !HAS_CREDENTIAL.test(given);
    const query = (link: LinkTicket): string =>
      [
        ...(given === '' ? [] : [given]),
        ...(needsTicket ? [`ticket=${link.current(credentialOf(request))}`] : []),
      ].join('&');
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
