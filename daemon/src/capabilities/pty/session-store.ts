import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { PlaceQueue } from '../../core/place-queue.ts';
import { Registry } from '../../core/registry.ts';
import { expired, registryTerms } from './capacity.ts';
import { PtySession, type SessionTools } from './session/session.ts';
import { PATIENCE_MS } from './session/shell.ts';
import { newRecord, type SessionTerms } from './session-terms.ts';

/** Expired sessions are looked for that many times within the time after which one expires. */
const SWEEPS = 10;

/** A session that does not give way to another one before it is disposed. */
export interface HeldSession extends Disposable {
  readonly session: PtySession;
}

export interface StoreLimits {
  /** Open sessions. */
  readonly ceiling: number;
  /** Seconds of idleness after which a session expires. */
  readonly timeoutSeconds: number;
}

/** The sessions by id, with their ceiling and their expiry. */
export class SessionStore {
  readonly #tools: SessionTools;
  readonly #sessions: Registry<PtySession>;
  readonly #sweeper: NodeJS.Timeout;
  /** The calls that wait for a place, in order of arrival. */
  readonly #waiting = new PlaceQueue();
  #closing = false;

  constructor(tools: SessionTools, found: readonly PtySession[], { ceiling, timeoutSeconds }: StoreLimits) {
    this.#tools = tools;
    const entries = found.map((session) => [session.id, session] as const);
    this.#sessions = new Registry(registryTerms(ceiling), entries);
    const timeoutMs = timeoutSeconds * 1000;
    const everyMs = Math.min(60_000, Math.max(50, timeoutMs / SWEEPS));
    this.#sweeper = setInterval(() => void this.#sweep(timeoutMs), everyMs).unref();
  }

  /**
   * Creates a session and starts its shell.
   * @throws SandboxError `conflict` if a session of that id is open, `capacity` with the holders, `invalid` naming
   *   the field, `forbidden`, `unavailable`
   */
  async create(terms: SessionTerms): Promise<PtySession> {
    using held = await this.open(terms);
    return held.session;
  }

  /** A directory that a call names, as a shell of the account resolves it. @throws SandboxError `invalid` */
  resolve({ cwd, user }: Pick<SessionTerms, 'cwd' | 'user'>): string | undefined {
    return this.#tools.launcher.resolve(cwd, user);
  }

  /** Answers the open session of that id, else creates one. @throws SandboxError as `create` */
  async ensure(terms: SessionTerms): Promise<PtySession> {
    const known = terms.id === undefined ? undefined : this.find(terms.id);
    if (!known?.open) return this.create(terms);
    using _held = this.hold(known);
    await waitFor(known.started, { ms: PATIENCE_MS });
    return known;
  }

  /**
   * Creates a session and holds it. Where the process host does not answer, its shell starts when the host continues.
   * @throws SandboxError as `create`
   */
  async open(terms: SessionTerms): Promise<HeldSession> {
    if (this.#closing) throw new SandboxError('unavailable', 'the service is stopping');
    const id = terms.id ?? randomUUID();
    const known = this.find(id);
    if (known?.open) throw new SandboxError('conflict', `the session exists already: ${id}`);
    const record = newRecord(id, terms, this.#tools.launcher.directory(terms.cwd, terms.user), this.#tools.clock);
    const place = this.#sessions.reserve(id, known);
    const session = new PtySession(this.#tools, record);
    place.fill(session);
    const held = this.hold(session);
    try {
      const started = session.start(Promise.all([known?.close(), place.evicted?.close()]));
      const isLate = (await waitFor(started, { ms: PATIENCE_MS })) === 'timeout';
      if (isLate) void started.catch(() => this.close(session));
      return held;
    } catch (error) {
      held[Symbol.dispose]();
      this.#sessions.remove(id, session);
      await session.close(0);
      throw error;
    }
  }

  /**
   * As `open`; while all places are busy it waits for one, up to 10 s and `seconds`, in order of arrival.
   * @throws SandboxError as `create`, `unavailable` if the client leaves while it waits
   */
  async openInTurn(terms: SessionTerms, seconds: number | undefined, gone?: AbortSignal) {
    using _turn = await this.#waiting.turn(() => this.#closing || this.#sessions.hasRoom(), seconds, gone);
    const opened = this.open(terms);
    // The place is taken now; the next caller need not wait for the start of the shell.
    return { opened };
  }

  /** Keeps a session from giving way until the answer is disposed: each call holds the session that it works with. */
  hold(session: PtySession): HeldSession {
    const lease = this.#sessions.lease(session);
    return { session, [Symbol.dispose]: () => lease[Symbol.dispose]() };
  }

  /** The session that a call names; it counts as named from now on. @throws SandboxError `not_found` */
  get(id: string): PtySession {
    const session = this.find(id);
    if (session) {
      session.markNamed();
      return session;
    }
    throw new SandboxError('not_found', `no terminal session with id ${id}`, { hint: 'create it first' });
  }

  find(id: string): PtySession | undefined {
    return this.#sessions.find(id);
  }

  list(): PtySession[] {
    return this.#sessions.list();
  }

  /** Ends all processes of a session and removes it. A shell that has not begun in time ends when it begins. */
  async close(session: PtySession, graceMs?: number): Promise<void> {
    this.#sessions.remove(session.id, session);
    const closed = session.close(graceMs);
    if (await session.startsInTime()) await closed;
    else closed.catch(ignore);
  }

  /** Closes all sessions; answers how many. */
  async closeAll(): Promise<number> {
    const sessions = this.list();
    await Promise.all(sessions.map((session) => this.close(session)));
    return sessions.length;
  }

  /** Creates no more sessions and ends all, each within the grace. */
  async end(graceMs: number): Promise<void> {
    this.#closing = true;
    clearInterval(this.#sweeper);
    await Promise.all(this.list().map((session) => this.close(session, graceMs)));
    this.#sessions.clear();
  }

  async #sweep(timeoutMs: number): Promise<void> {
    const idle = this.list().filter((session) => !this.#sessions.isLeased(session));
    await Promise.all(expired(idle, timeoutMs).map((session) => this.close(session)));
  }
}
