import type { Credential } from './credential.ts';
import type { TicketStore } from './tickets.ts';

/** Seconds that a ticket is valid, and requests that it admits. */
const TERMS = { ttl: 3600, uses: 1000 } as const;

/** A ticket in links that the service returns. Links for one caller in the first half of its life share one. */
export class LinkTicket {
  readonly #tickets: TicketStore;
  readonly #pathPrefix: string;
  readonly #current = new Map<string, { readonly ticket: string; readonly renewAt: number }>();

  constructor(tickets: TicketStore, pathPrefix: string) {
    this.#tickets = tickets;
    this.#pathPrefix = pathPrefix;
  }

  /**
   * A ticket that is valid for at least half an hour, unless its uses end before.
   * @throws SandboxError `capacity` if too many tickets are valid
   */
  current(maker: Credential): string {
    const now = performance.now();
    const key = maker.ids.join();
    const current = this.#current.get(key);
    if (current && now < current.renewAt && this.#tickets.has(current.ticket)) return current.ticket;
    for (const [other, { renewAt }] of this.#current) if (renewAt <= now) this.#current.delete(other);
    const { ticket } = this.#tickets.issue({ pathPrefix: this.#pathPrefix, ...TERMS }, maker);
    this.#current.set(key, { ticket, renewAt: now + (TERMS.ttl / 2) * 1000 });
    return ticket;
  }
}
