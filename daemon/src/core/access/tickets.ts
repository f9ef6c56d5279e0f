import { createHash, randomBytes } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { AgeClock } from '../clock/age-clock.ts';
import type { Credential } from './credential.ts';
import { covers } from './path-prefix.ts';
import type { Revocations } from './revocations.ts';
import { isTarget, type TicketTarget, ticketTargetOf } from './ticket-target.ts';

/** What a ticket is good for: a path and what lies below it, or one path with one query. */
type TicketScope = { readonly pathPrefix: string } | { readonly target: string };

export type TicketTerms = TicketScope & {
  /** Seconds. */
  readonly ttl: number;
  readonly uses: number;
};

interface Ticket {
  readonly id: string;
  readonly terms: TicketTerms;
  /** Of the caller that made it. */
  readonly maker: Credential;
  readonly scope: { readonly pathPrefix: string } | { readonly target: TicketTarget };
  /** Tick. */
  readonly expiresAt: number;
  usesLeft: number;
}

/** A ticket as it is listed: without the text that opens something. */
export interface ListedTicket {
  readonly id: string;
  readonly scope: TicketScope;
  readonly expiresAt: Date;
  readonly usesLeft: number;
}

/** What a ticket has opened. */
export interface SpentTicket {
  readonly pathPrefix?: string;
  readonly credential: Credential;
}

/** Tickets that are valid at once; more are refused, so that issuing them cannot fill the memory. */
const MAX_TICKETS = 10_000;

/** Milliseconds between two looks for expired tickets. */
const SWEEP_MS = 1000;

/** The form of a ticket: 24 random bytes. */
const TICKET = /^[\w-]{32}$/;
/** Spent and expired tickets of which the id is known, so that what they opened can be ended. */
const MAX_ENDED = 10_000;
/** Milliseconds for which the id of a ticket that was withdrawn is kept: the life of a cookie that it opened. */
const REVOKED_MS = 13 * 3600 * 1000;

/** Short-lived stand-ins for the key, for URLs that cannot carry headers. Only their hashes are kept, in memory. */
export class TicketStore {
  readonly #clock: AgeClock;
  readonly #revocations: Revocations;
  readonly #tickets = new Map<string, Ticket>();
  /** Ids of tickets that open nothing any more, with their makers, oldest first. */
  readonly #ended = new Map<string, Credential>();
  #sweptAt = 0;

  constructor(clock: AgeClock, revocations: Revocations) {
    this.#clock = clock;
    this.#revocations = revocations;
  }

  /**
   * @param maker the credential of the caller: the ticket opens nothing after that is withdrawn
   * @param now tick
   */
  issue(
    terms: TicketTerms,
    maker: Credential,
    now: number = this.#clock.now(),
  ): { id: string; ticket: string; expiresAt: Date } {
    this.#forgetExpired(now);
    if (this.#tickets.size >= MAX_TICKETS) {
      throw new SandboxError('capacity', `${MAX_TICKETS} tickets are valid already`, {
        hint: 'let some of them expire',
      });
    }
    const ticket = randomBytes(24).toString('base64url');
    const id = randomBytes(12).toString('base64url');
    const expiresAt = now + terms.ttl * 1000;
    const scope = 'target' in terms ? { target: ticketTargetOf(terms.target) } : { pathPrefix: terms.pathPrefix };
    this.#tickets.set(digest(ticket), { id, terms, maker, scope, expiresAt, usesLeft: terms.uses });
    return { id, ticket, expiresAt: this.#clock.dateAt(expiresAt) };
  }

  /**
   * The tickets that are valid, oldest first.
   * @param maker only its own; undefined: all
   */
  list(maker?: Credential, now: number = this.#clock.now()): ListedTicket[] {
    return [...this.#tickets.values()]
      .filter((ticket) => ticket.expiresAt > now && isOf(ticket.maker, maker))
      .map(({ id, terms, expiresAt, usesLeft }) => ({
        id,
        scope: 'target' in terms ? { target: terms.target } : { pathPrefix: terms.pathPrefix },
        expiresAt: this.#clock.dateAt(expiresAt),
        usesLeft,
      }));
  }

  /**
   * Withdraws a ticket: nothing is admitted by it, and what it opened ends, also after it was spent or has expired.
   * @param maker that it must be of; undefined: of whichever
   * @throws SandboxError `not_found`
   */
  revoke(id: string, maker?: Credential): void {
    const valid = [...this.#tickets].find(([, ticket]) => ticket.id === id);
    const madeBy = valid?.[1].maker ?? this.#ended.get(id);
    if (madeBy === undefined || !isOf(madeBy, maker)) {
      throw new SandboxError('not_found', `no ticket ${id}`, { hint: 'GET /v2/tickets lists those that are valid' });
    }
    if (valid) this.#tickets.delete(valid[0]);
    this.#ended.delete(id);
    this.#revocations.add(ticketId(id), this.#clock.now() + REVOKED_MS);
  }

  /** Tickets that are valid, to a second. */
  get size(): number {
    this.#forgetExpired(this.#clock.now());
    return this.#tickets.size;
  }

  /** Whether the text is a ticket with uses left, for any path. */
  has(text: string): boolean {
    return TICKET.test(text) && this.#tickets.has(digest(text));
  }

  /**
   * Spends one use if the ticket is good for the request.
   * @param target path and query, as received
   * @param now tick
   * @returns undefined for a ticket that is not good for it
   */
  spend(ticket: string, target: string, now: number = this.#clock.now()): SpentTicket | undefined {
    const key = digest(ticket);
    const found = this.#tickets.get(key);
    if (!found) return undefined;
    if (found.expiresAt <= now) {
      this.#end(key, found);
      return undefined;
    }
    if (this.#revocations.hasAny(found.maker.ids)) return undefined;
    const { scope } = found;
    const [path = ''] = target.split('?', 1);
    const isGood = 'target' in scope ? isTarget(scope.target, target, ticket) : covers(scope.pathPrefix, path);
    if (!isGood) return undefined;
    found.usesLeft -= 1;
    if (found.usesLeft === 0) this.#end(key, found);
    const credential = { ...found.maker, ids: [ticketId(found.id), ...found.maker.ids] };
    return { ...('target' in scope ? {} : { pathPrefix: scope.pathPrefix }), credential };
  }

  /** Forgets the tickets whose makers are not admitted any more. */
  keepOf(isValid: (maker: Credential) => boolean): void {
    for (const [key, { maker }] of this.#tickets) if (!isValid(maker)) this.#tickets.delete(key);
    for (const [id, maker] of this.#ended) if (!isValid(maker)) this.#ended.delete(id);
  }

  #end(key: string, { id, maker }: Ticket): void {
    this.#tickets.delete(key);
    this.#ended.set(id, maker);
    if (this.#ended.size <= MAX_ENDED) return;
    const [oldest] = this.#ended.keys();
    this.#ended.delete(oldest ?? '');
  }

  /** At each issue, at most once in `SWEEP_MS` if there is room. */
  #forgetExpired(now: number): void {
    if (now - this.#sweptAt < SWEEP_MS && this.#tickets.size < MAX_TICKETS) return;
    this.#sweptAt = now;
    for (const [key, ticket] of this.#tickets) if (ticket.expiresAt <= now) this.#end(key, ticket);
  }
}

function isOf(maker: Credential, credential: Credential | undefined): boolean {
  return credential === undefined || maker.ids.some((id) => credential.ids.includes(id));
}

function ticketId(id: string): string {
  return `t.${id}`;
}

function digest(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64');
}
