import type { TicketStore } from './tickets.ts';

/** Seconds that a ticket is valid, and requests that it admits. */
const TERMS = { ttl: 3600, uses: 1000 } as const;

/** A ticket in links that the service returns. Links of the first half of its life share one. */
export class LinkTicket {
  readonly #tickets: TicketStore;
  readonly #pathPrefix: string;
  #current: { readonly ticket: string; readonly renewAt: number } | undefined;

  constructor(tickets: TicketStore, pathPrefix: string) {
    this.#tickets = tickets;
    this.#pathPrefix = pathPrefix;
  }

  /**
   * A ticket that is valid for at least half an hour, unless its uses end before.
   * @throws SandboxError `capacity` if too many tickets are valid
   */
  current(): string {
    const now = performance.now();
    if (this.#current && now < this.#current.renewAt && this.#tickets.has(this.#current.ticket)) {
      return this.#current.ticket;
    }
    const { ticket } = this.#tickets.issue({ pathPrefix: this.#pathPrefix, ...TERMS });
    this.#current = { ticket, renewAt: now + (TERMS.ttl / 2) * 1000 };
    return ticket;
  }
}
