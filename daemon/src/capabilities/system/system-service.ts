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

  listTickets(): ListedTicket[] {
    return this.#tickets.list();
  }

  /** @throws SandboxError `not_found` */
  revokeTicket(id: string): void {
    this.#tickets.revoke(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It holds nothing.
  }
}
