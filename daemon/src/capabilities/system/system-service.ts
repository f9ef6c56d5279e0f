import type { TicketStore, TicketTerms } from '../../core/access/tickets.ts';

/** Tickets of the service. */
export class SystemService implements AsyncDisposable {
  readonly #tickets: TicketStore;

  constructor(tickets: TicketStore) {
    this.#tickets = tickets;
  }

  /** @throws SandboxError `capacity` when too many tickets are valid at once */
  issueTicket(terms: TicketTerms): { ticket: string; expiresAt: Date } {
    return this.#tickets.issue(terms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It holds nothing.
  }
}
