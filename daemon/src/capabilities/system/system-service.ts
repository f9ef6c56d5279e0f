import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TicketStore, TicketTerms } from '../../core/access/tickets.ts';
import type { Finding } from '../../core/finding.ts';

/** What belongs to the service itself: tickets, and whether it can write files. */
export class SystemService implements AsyncDisposable {
  readonly #tickets: TicketStore;
  readonly #probes: string;

  constructor(tickets: TicketStore, probes: string) {
    this.#tickets = tickets;
    this.#probes = probes;
  }

  /** @throws SandboxError `capacity` when too many tickets are valid at once */
  issueTicket(terms: TicketTerms): { ticket: string; expiresAt: Date } {
    return this.#tickets.issue(terms);
  }

  async probeFileWrite(): Promise<Finding> {
    const path = join(this.#probes, randomUUID());
    try {
      await writeFile(path, 'ready');
      return { name: 'files', ok: true, detail: 'a file was written' };
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return { name: 'files', ok: false, detail, hint: 'free some space under SVC_RUNTIME_DIR, or point it elsewhere' };
    } finally {
      await rm(path, { force: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It holds nothing.
  }
}
