import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pollUntil } from '@sandbox/api/wait.ts';
import type { AgeClock } from '../../../core/clock/age-clock.ts';
import { type RuntimeSpace, recordRefused } from '../../../core/records/runtime-space.ts';
import { Registry } from '../../../core/registry.ts';
import type { Interpreter, SessionTable } from '../runtime/language-runtime.ts';
import { Session, type SessionTerms } from './session.ts';
import { SessionFile, type SessionRecord } from './session-file.ts';

/** Milliseconds between two looks for idle sessions. */
const REAP_EVERY_MS = 1000;

/** Bounds of the sessions of one table. */
export interface TableLimits {
  readonly maxSessions: number;
  /** Seconds without use after which a session is closed. */
  readonly idleSeconds: number;
}

/** Named, so that `newest` and `of` read alike for each. */
const TABLES: readonly SessionTable[] = ['kernel', 'node', 'bash'];

/** How often, and how many milliseconds, the cell of an interpreter that has ended is waited for. */
const LAST_READ = { everyMs: 20, ms: 15_000 } as const;

/** The sessions of all tables. */
export class SessionTables implements AsyncDisposable {
  readonly clock: AgeClock;
  readonly #limits: Readonly<Record<SessionTable, TableLimits>>;
  readonly #registries: Readonly<Record<SessionTable, Registry<Session>>>;
  readonly #file: SessionFile;
  readonly #directory: string;
  /** Why the last list could not be written. */
  #unwritten: unknown;
  readonly #processes = new Map<Session, string>();
  readonly #reaping: NodeJS.Timeout;
  /** Numbers of the newest uses: two within a millisecond have an order too. */
  readonly #lastUse = new WeakMap<Session, number>();
  #uses = 0;

  constructor(
    directory: string,
    { space, clock }: { readonly space: RuntimeSpace; readonly clock: AgeClock },
    limits: Readonly<Record<SessionTable, TableLimits>>,
  ) {
    this.clock = clock;
    this.#limits = limits;
    this.#directory = directory;
    this.#file = new SessionFile(directory, space);
    const registry = (table: SessionTable) => registryOf(table, limits[table].maxSessions);
    this.#registries = { kernel: registry('kernel'), node: registry('node'), bash: registry('bash') };
    this.#reaping = setInterval(() => this.#reap(), REAP_EVERY_MS).unref();
  }

  limits(table: SessionTable): TableLimits {
    return this.#limits[table];
  }

  /** The records of an earlier daemon's sessions. */
  records(): SessionRecord[] {
    return this.#file.read();
  }

  /** Newest first. */
  list(table?: SessionTable): Session[] {
    const tables = table === undefined ? TABLES : [table];
    const sessions = tables.flatMap((name) => this.#registries[name].list());
    return sessions.sort((a, b) => b.createdTick - a.createdTick);
  }

  /** Without a table the one that was used last. */
  find(id: string, table?: SessionTable): Session | undefined {
    return this.list(table)
      .filter((session) => session.id === id)
      .sort((a, b) => (this.#lastUse.get(b) ?? 0) - (this.#lastUse.get(a) ?? 0))[0];
  }

  /** @throws SandboxError `not_found` */
  get(id: string, table?: SessionTable): Session {
    const session = this.find(id, table);
    if (session) return session;
    throw new SandboxError('not_found', `no code session with id ${id}`);
  }

  /** Whether a session can be created, in place of an idle one without a name too. */
  hasRoom(table: SessionTable): boolean {
    return this.#registries[table].hasRoom();
  }

  /** While it is held no idle time runs out. */
  hold(session: Session): Disposable {
    const lease = this.#registries[session.table].lease(session);
    this.#uses += 1;
    this.#lastUse.set(session, this.#uses);
    session.touch();
    return {
      [Symbol.dispose]: () => {
        session.touch();
        lease[Symbol.dispose]();
      },
    };
  }

  /**
   * Registers a session, whose interpreter `open` starts. One that does not start is removed.
   * @throws SandboxError `conflict` if the id is taken, `capacity` with the holders
   */
  create(
    terms: Omit<SessionTerms, 'id' | 'isNamed' | 'createdAt' | 'createdTick' | 'clock'> & {
      readonly id: string | undefined;
    },
    open: () => Promise<Interpreter>,
  ): Session {
    const { id = randomUUID() } = terms;
    using place = this.#registries[terms.runtime.table].reserve(id);
    if (place.evicted) void this.#end(place.evicted);
    const { tick: createdTick, at: createdAt } = this.clock.moment();
    const created = { createdAt, createdTick, clock: this.clock };
    const session = new Session({ ...terms, ...created, id, isNamed: terms.id !== undefined }, open());
    place.fill(session);
    this.track(session);
    return session;
  }

  /** One that an earlier daemon made. */
  restore(session: Session): void {
    this.#registries[session.table].add(session.id, session);
    this.track(session);
  }

  /** Follows the interpreter of the session, also after it was replaced: its end is that of the session. */
  track(session: Session): void {
    session.interpreter.then(
      ({ process }) => {
        this.#processes.set(session, process.id);
        this.#write();
        void process.ended.then(async () => {
          // Its output goes with the session, and the cell that runs has not read all of it yet.
          await pollUntil(() => session.running === undefined, LAST_READ);
          if (this.#processes.get(session) === process.id) await this.remove(session);
        });
      },
      () => void this.remove(session),
    );
  }

  /** The end of its interpreter is no longer that of the session. */
  forget(session: Session): void {
    this.#processes.delete(session);
  }

  /** The session goes at once, its processes end; answers whether it was there. */
  async remove(session: Session): Promise<boolean> {
    const wasThere = this.#registries[session.table].remove(session.id, session);
    await this.#end(session);
    return wasThere;
  }

  /** A caller has used the id: the session gives way no more. */
  name(session: Session): void {
    if (session.isNamed) return;
    session.isNamed = true;
    this.#write();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#reaping);
    await Promise.all(this.list().map((session) => this.remove(session)));
  }

  /** Of a session that is registered no more. */
  async #end(session: Session): Promise<void> {
    if (this.#processes.delete(session)) this.#write();
    await session.close();
  }

  #reap(): void {
    for (const session of this.list()) {
      const isLeased = this.#registries[session.table].isLeased(session);
      if (!isLeased && session.running === undefined && session.idleMs > session.idleSeconds * 1000) {
        void this.remove(session);
      }
    }
  }

  /** @throws SandboxError `disk_full`, `unavailable` unless a next daemon would find the sessions of this moment */
  requireWritten(): void {
    if (this.#unwritten === undefined) return;
    this.#write();
    if (this.#unwritten !== undefined) throw recordRefused(this.#unwritten, this.#directory);
  }

  #write(): void {
    const records = this.list().flatMap((session): SessionRecord[] => {
      const processId = this.#processes.get(session);
      if (processId === undefined) return [];
      const { id, table, idleSeconds, createdAt, createdTick, isNamed, spec } = session;
      const { language, variant, cwd, env, identity } = spec;
      const user = identity.name;
      const described = { id, table, processId, language, variant, user, cwd, env, idleSeconds, isNamed };
      return [{ ...described, createdAt: createdAt.toJSON(), createdTick }];
    });
    try {
      this.#file.write(records);
      this.#unwritten = undefined;
    } catch (error) {
      // `requireWritten` tries again before a session is acknowledged.
      this.#unwritten = error;
    }
  }
}

function registryOf(table: SessionTable, ceiling: number): Registry<Session> {
  return new Registry<Session>({
    kind: table === 'kernel' ? 'kernel sessions' : `${table} sessions`,
    ceiling,
    hint: 'delete a session, or run the cell without one',
    describe: (_id, session) => {
      const { sessionId, language, state, createdAt, lastUsedAt } = session.info();
      return { sessionId, language, state, createdAt, lastUsedAt };
    },
    givesWay: (unused) =>
      unused
        .filter((session) => !session.isNamed && session.running === undefined)
        .toSorted((one, other) => other.idleMs - one.idleMs)[0],
  });
}
