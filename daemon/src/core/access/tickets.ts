import { createHash, randomBytes } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { AgeClock } from '../clock/age-clock.ts';
import { covers } from './path-prefix.ts';
import { isTarget, type TicketTarget, ticketTargetOf } from './ticket-target.ts';

/** What a ticket is good for: a path and what lies below it, or one path with one query. */
type TicketScope = { readonly pathPrefix: string } | { readonly target: string };

export type TicketTerms = TicketScope & {
  /** Seconds. */
  readonly ttl: number;
  readonly uses: number;
};

interface Ticket {
  readonly scope: { readonly pathPrefix: string } | { readonly target: TicketTarget };
  /** Tick. */
  readonly expiresAt: number;
  usesLeft: number;
}

/** Tickets that are valid at once; more are refused, so that issuing them cannot fill the memory. */
const MAX_TICKETS = 10_000;

/** Milliseconds between two looks for expired tickets. */
const SWEEP_MS = 1000;

/** The form of a ticket: 24 random bytes. */
const TICKET = /^[\w-]{32}$/;

/** Short-lived stand-ins for the key, for URLs that cannot carry headers. Only their hashes are kept, in memory. */
export class TicketStore {
  readonly #clock: AgeClock;
  readonly #tickets = new Map<string, Ticket>();
  #sweptAt = 0;

  constructor(clock: AgeClock) {
    this.#clock = clock;
  }

  /** @param now tick */
  issue(terms: TicketTerms, now: number = this.#clock.now()): { ticket: string; expiresAt: Date } {
    this.#forgetExpired(now);
    if (this.#tickets.size >= MAX_TICKETS) {
      throw new SandboxError('capacity', `${MAX_TICKETS} tickets are valid already`, {
        hint: 'let some of them expire',
      });
    }
    const ticket = randomBytes(24).toString('base64url');
    const expiresAt = now + terms.ttl * 1000;
    const scope = 'target' in terms ? { target: ticketTargetOf(terms.target) } : { pathPrefix: terms.pathPrefix };
    this.#tickets.set(digest(ticket), { scope, expiresAt, usesLeft: terms.uses });
    return { ticket, expiresAt: this.#clock.dateAt(expiresAt) };
  }

  /** Whether the text is a ticket with uses left, for any path. */
  has(text: string): boolean {
    return TICKET.test(text) && this.#tickets.has(digest(text));
  }

  /**
   * Spends one use if the ticket is good for the request.
   * @param target path and query, as received
   * @param now tick
   * @returns the prefix of the ticket if it has one; undefined for a ticket that is not good for it
   */
  spend(ticket: string, target: string, now: number = this.#clock.now()): { readonly pathPrefix?: string } | undefined {
    const id = digest(ticket);
    const found = this.#tickets.get(id);
    if (!found) return undefined;
    if (found.expiresAt <= now) {
      this.#tickets.delete(id);
      return undefined;
    }
    const { scope } = found;
    const [path = ''] = target.split('?', 1);
    const isGood = 'target' in scope ? isTarget(scope.target, target, ticket) : covers(scope.pathPrefix, path);
    if (!isGood) return undefined;
    found.usesLeft -= 1;
    if (found.usesLeft === 0) this.#tickets.delete(id);
    return 'target' in scope ? {} : { pathPrefix: scope.pathPrefix };
  }

  /** No ticket is good any more. */
  revokeAll(): void {
    this.#tickets.clear();
  }

  /** At each issue, at most once in `SWEEP_MS` if there is room. */
  #forgetExpired(now: number): void {
    if (now - this.#sweptAt < SWEEP_MS && this.#tickets.size < MAX_TICKETS) return;
    this.#sweptAt = now;
    for (const [id, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(id);
  }
}

function digest(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64');
}
