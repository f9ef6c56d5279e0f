import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Activity } from '../../../core/activity/activity.ts';
import type { Core } from '../../../core/core.ts';
import { recordRefused } from '../../../core/records/runtime-space.ts';
import type { Command, CommandRecord, CommandStatus } from '../run/command.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { Journal, type JournalState } from './journal.ts';
import { expired, inOrderOfEnd, makeRoom, type RetentionLimits } from './retention.ts';
import { type CommandSession, CommandSessions, type SessionTerms } from './sessions.ts';

/** Milliseconds between two checks of retention. */
const SWEEP_MS = 1000;
/** Commands whose files are removed in one turn of the event loop. */
const REMOVED_AT_ONCE = 16;

export interface CommandFilter {
  readonly status?: CommandStatus | undefined;
  readonly sessionId?: string | undefined;
  /** Only those that were started before the command of that id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The known commands and sessions, in memory and in the journal, within the limits of retention. */
export class CommandStore implements Disposable {
  readonly keys: IdempotencyKeys;
  readonly sessions: CommandSessions;
  readonly #commands = new Map<string, Command>();
  readonly #running = new Set<Command>();
  readonly #held = new Map<Command, Disposable>();
  readonly #activity: Activity;
  readonly #clock: Core['clock'];
  /** Started, and not in the journal yet. */
  readonly #unannounced = new Set<Command>();
  readonly #journal: Journal;
  readonly #runtime: Core['runtime'];
  readonly #limits: RetentionLimits;
  readonly #sweeper: NodeJS.Timeout;
  /** What waits for a journal that could not be written. */
  readonly #unwritten: (() => void)[] = [];

  private constructor(
    { journal, found }: { readonly journal: Journal; readonly found: JournalState },
    { activity, clock, runtime }: Pick<Core, 'runtime' | 'activity' | 'clock'>,
    maxSessions: number,
    limits: RetentionLimits,
  ) {
    this.#runtime = runtime;
    runtime.space.keepWhole(() => journal.refill());
    runtime.space.offer('output of ended commands', () => this.#dropOldestOutput());
    this.#journal = journal;
    this.#activity = activity;
    this.#clock = clock;
    this.keys = new IdempotencyKeys(clock);
    this.#limits = limits;
    this.sessions = new CommandSessions(maxSessions, found.sessions.values());
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  static open(
    { runtime, logger, activity, clock }: Pick<Core, 'runtime' | 'logger' | 'activity' | 'clock'>,
    maxSessions: number,
    limits: RetentionLimits,
  ): { store: CommandStore; records: ReadonlyMap<string, CommandRecord> } {
    const opened = Journal.open(runtime.path, logger);
    return {
      store: new CommandStore(opened, { activity, clock, runtime }, maxSessions, limits),
      records: opened.found.records,
    };
  }

  /** @throws SandboxError `disk_full` if what starts now could not be recorded */
  requireRoom(): void {
    this.#runtime.space.requireRoom();
  }

  /** Journals a command that is about to be started. @throws SandboxError `disk_full`, `unavailable` */
  announce(record: CommandRecord): void {
    this.#begin({ t: 'command', record });
  }

  /** Journals a command that did not start. */
  announceFailed(record: CommandRecord): void {
    this.#journal.append({ t: 'command', record });
  }

  /**
   * Adds a command that runs and journals it at the end of this turn of the event loop, together with its end where
   * that is known by then. Until then the process host has its record.
   */
  addStarted(command: Command): void {
    this.add(command);
    this.#unannounced.add(command);
    setImmediate(() => this.#announceStarted(command));
  }

  /** Also in the place of a pending one. */
  add(command: Command): void {
    const before = this.#commands.get(command.id);
    if (before) this.#release(before);
    this.#commands.set(command.id, command);
    const { idempotency } = command.record;
    if (command.isRunning) this.#hold(command);
    if (idempotency) this.keys.remember(idempotency.key, idempotency.bodyHash, command.record);
  }

  /** Answers as `note`. */
  update(command: Command, change: Partial<CommandRecord>): boolean {
    command.record = { ...command.record, ...change };
    if (!command.isRunning) this.#release(command);
    return this.#announceStarted(command) ?? this.note(command.id, change);
  }

  /** Returns whether the change is in the journal. */
  note(id: string, change: Partial<CommandRecord>): boolean {
    return this.#journal.append({ t: 'change', id, change });
  }

  /** Calls `done` once the records of this moment are in the journal. */
  onceWritten(done: () => void): void {
    this.#unwritten.push(done);
  }

  /** @throws SandboxError `not_found` */
  get(id: string): Command {
    const command = this.#commands.get(id);
    if (!command) throw new SandboxError('not_found', `no command with id ${id}`);
    return command;
  }

  find(id: string): Command | undefined {
    return this.#commands.get(id);
  }

  /** In the order in which they were started. */
  all(): Command[] {
    return [...this.#commands.values()];
  }

  /** Newest first. */
  list({ status, sessionId, before, limit }: CommandFilter): Command[] {
    const newestFirst = this.all().reverse();
    const from = before === undefined ? 0 : newestFirst.indexOf(this.get(before)) + 1;
    return newestFirst
      .slice(from)
      .filter(
        ({ record }) =>
          (status === undefined || record.status === status) &&
          (sessionId === undefined || record.sessionId === sessionId),
      )
      .slice(0, limit);
  }

  get running(): ReadonlySet<Command> {
    return this.#running;
  }

  /** In the order in which they were started. */
  ofSession(sessionId: string): Command[] {
    return this.all().filter(({ record }) => record.sessionId === sessionId);
  }

  newestRunning(sessionId: string): Command | undefined {
    return [...this.#running].findLast(({ record }) => record.sessionId === sessionId);
  }

  /** @throws SandboxError also `disk_full`, `unavailable` if it cannot be recorded */
  createSession(terms: SessionTerms): CommandSession {
    this.requireRoom();
    const session = this.sessions.create(terms);
    try {
      this.saveSession(session);
    } catch (error) {
      this.sessions.remove(session.id);
      throw error;
    }
    return session;
  }

  /** @throws SandboxError `disk_full`, `unavailable` */
  saveSession(session: CommandSession): void {
    this.#begin({ t: 'session', session });
  }

  removeSession(id: string): void {
    this.sessions.remove(id);
    this.#journal.append({ t: 'close', id });
  }

  /** Drops what retention does not keep. */
  sweep(now: number = this.#clock.now()): void {
    this.keys.forgetExpired(now);
    this.#drop(expired(this.#commands.values(), this.#limits, now));
    this.#drop(makeRoom(this.#commands.values(), this.#limits.maxBytes, now));
    if (this.#unwritten.length > 0) this.compact();
    else this.#journal.compactIfLong(() => this.#state());
  }

  compact(): void {
    if (!this.#journal.compact(this.#state())) return;
    this.#unannounced.clear();
    for (const done of this.#unwritten.splice(0)) done();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweeper);
    this.#journal.close();
  }

  #begin(entry: Parameters<Journal['begin']>[0]): void {
    try {
      this.#journal.begin(entry);
    } catch (error) {
      throw recordRefused(error, this.#runtime.path);
    }
  }

  /** Drops the output of the command that ended first; its record stays. Returns false if none has any. */
  #dropOldestOutput(): boolean {
    const oldest = inOrderOfEnd(this.#commands.values()).find(({ output }) => output.retainedBytes > 0);
    return (oldest?.output.trimTo(0) ?? 0) > 0;
  }

  #hold(command: Command): void {
    this.#running.add(command);
    const { startedAt, startedTick: tick } = command.record;
    this.#held.set(command, this.#activity.hold('command', command.id, { at: new Date(startedAt), tick }));
    this.#activity.note('command');
  }

  #release(command: Command): void {
    if (!this.#running.delete(command)) return;
    this.#held.get(command)?.[Symbol.dispose]();
    this.#held.delete(command);
    this.#activity.note('command');
  }

  /** Undefined if it is in the journal already. If it is refused, the next change brings the whole record. */
  #announceStarted(command: Command): boolean | undefined {
    if (!this.#unannounced.has(command)) return undefined;
    const isWritten = this.#journal.append({ t: 'command', record: command.record });
    if (isWritten) this.#unannounced.delete(command);
    return isWritten;
  }

  /** Forgets the commands in one line of the journal, and the implicit sessions that have no command left. */
  #drop(commands: readonly Command[]): void {
    if (commands.length === 0) return;
    for (const command of commands) {
      this.#commands.delete(command.id);
      this.#unannounced.delete(command);
    }
    const used = new Set(this.all().map(({ record }) => record.sessionId));
    const sessions = [...new Set(commands.map(({ record }) => record.sessionId))].filter(
      (id): id is string => id !== null && !used.has(id) && this.sessions.find(id)?.implicit === true,
    );
    for (const id of sessions) this.sessions.remove(id);
    this.#journal.append({ t: 'drop', commands: commands.map(({ id }) => id), sessions });
    void removeOutputs(commands);
  }

  #state(): JournalState {
    return {
      records: new Map(this.all().map(({ id, record }) => [id, record])),
      sessions: new Map(this.sessions.list().map((session) => [session.id, session])),
    };
  }
}

/** Removes the files of the commands a few at a time, so that other work comes between. */
async function removeOutputs(commands: readonly Command[]): Promise<void> {
  for (let from = 0; from < commands.length; from += REMOVED_AT_ONCE) {
    const slice = commands.slice(from, from + REMOVED_AT_ONCE);
    await Promise.allSettled(slice.map(({ output }) => output.remove()));
  }
}
