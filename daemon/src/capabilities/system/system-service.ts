import type { Credential } from '../../core/access/credential.ts';
import type { ListedTicket, TicketStore, TicketTerms } from '../../core/access/tickets.ts';
import { OwnPrograms } from './processes/own-programs.ts';
import { ProcessService } from './processes/process-service.ts';
import { UsageHistory } from './usage/usage-history.ts';

/** Tickets of the service, the processes of the sandbox, and what it uses. */
export class SystemService implements AsyncDisposable {
  readonly processes: ProcessService;
  readonly usage = new UsageHistory();
  readonly #tickets: TicketStore;

  /** @param programStates file of the supervisor; undefined without one */
  constructor(tickets: TicketStore, programStates: string | undefined, platform: NodeJS.Platform) {
    this.#tickets = tickets;
    this.processes = new ProcessService(new OwnPrograms(programStates), platform);
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
    this.usage[Symbol.dispose]();
    await this.processes[Symbol.asyncDispose]();
  }
}
