import type { Credential } from '../../core/access/credential.ts';
import type { ListedTicket, TicketStore, TicketTerms } from '../../core/access/tickets.ts';

/** Tickets of the service. */
export class SystemService implements AsyncDisposable {
  readonly #tickets: TicketStore;

  constructor(tickets: TicketStore) {
    this.#tickets = tickets;
  }

  /** @throws SandboxError `capacity` when too many tickets are valid at once */
  issueTicket(terms: TicketTerms, maker: Credential): { id: string; ticket: string; expiresAt: Date } {
    return this.#tickets.issue(terms, maker);
  }

  /** @param maker only its own; undefined: all */
  listTickets(maker?: Credential): ListedTicket[] {
    return this.#tickets.list(maker);
  }

  /**
   * @param maker that it must be of; undefined: of whichever
   * @throws SandboxError `not_found`
   */
  revokeTicket(id: string, maker?: Credential): void {
    this.#tickets.revoke(id, maker);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It holds nothing.
  }
}
