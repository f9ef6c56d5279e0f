import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../../core/core.ts';
import { SandboxError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import { expired, nextToGiveWay, refuseBeyond } from './capacity.ts';
import type { ExecStatus } from './exec/exec-run.ts';
import { type ExecOutcome, ExecQueue, type ExecRequest } from './exec.ts';
import { settlesBefore } from './patience.ts';
import { PtySession, type SessionTools } from './session/session.ts';
import type { Retention, SessionRecord } from './session/session-record.ts';

/** Seconds without output after which `exec` does not wait any longer, where nobody says otherwise. */
export const NO_CHANGE_SECONDS = 120;
/** How often sessions are looked at whose time may be over, of the time that they have. */
const SWEEPS = 10;
/** Seconds that a shell may take to change its directory. */
const ENTER_SECONDS = 10;
/** Milliseconds between two looks at who has the terminal. */
const LOOK_MS = 50;

export interface SessionTerms {
  readonly id?: string | undefined;
  readonly cwd?: string | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  readonly retention?: Retention | undefined;
  readonly noChangeTimeout?: number | undefined;
  /** Instead of the account's shell. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
}

export interface SessionStats {
  readonly total: number;
  readonly active: number;
  readonly idle: number;
  readonly max: number;
  /** Seconds. */
  readonly timeout: number;
}

/** What bounds the sessions. */
export interface SessionLimits {
  readonly shellMaxSessions: number;
  /** Seconds. */
  readonly shellSessionTimeout: number;
}

/** Terminals: the rules of their ids, ceilings and ends live here. */
export class PtyService implements AsyncDisposable {
  readonly #core: Core;
  readonly #tools: SessionTools;
  readonly #limits: SessionLimits;
  readonly #sessions: Map<string, PtySession>;
  readonly #queues = new WeakMap<PtySession, ExecQueue>();
  readonly #sweeper: NodeJS.Timeout;
  #closing = false;

  constructor(core: Core, tools: SessionTools, limits: SessionLimits, found: readonly PtySession[]) {
    this.#limits = limits;
    this.#core = core;
    this.#tools = tools;
    this.#sessions = new Map(found.map((session) => [session.id, session]));
    const timeoutMs = limits.shellSessionTimeout * 1000;
    this.#sweeper = setInterval(
      () => void this.#sweep(timeoutMs),
      Math.min(60_000, Math.max(50, timeoutMs / SWEEPS)),
    ).unref();
  }

  /**
   * @throws SandboxError `conflict` where a session of that id is open, `capacity`, `invalid` naming the field,
   *   `forbidden`, `unavailable`
   */
  async create(terms: SessionTerms): Promise<PtySession> {
    if (this.#closing) throw new SandboxError('unavailable', 'the service is stopping');
    const id = terms.id ?? randomUUID();
    const known = this.#sessions.get(id);
    if (known?.open) throw new SandboxError('conflict', `the session exists already: ${id}`);
    const session = new PtySession(this.#tools, this.#recordOf(id, terms));
    await this.#makeRoom();
    if (known) await this.#remove(known);
    try {
      this.#sessions.set(id, session);
      await session.start();
      return session;
    } catch (error) {
      this.#sessions.delete(id);
      await session.close(0);
      throw error;
    } finally {
    }
  }

  /** What holds the terminals. */
  get backend(): string {
    return this.#tools.tmux ? 'tmux' : 'native';
  }

  /** @throws SandboxError `not_found` */
  get(id: string): PtySession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw new SandboxError('not_found', `no terminal session with id ${id}`, { hint: 'create it first' });
  }

  find(id: string): PtySession | undefined {
    return this.#sessions.get(id);
  }

  list(): PtySession[] {
    return [...this.#sessions.values()];
  }

  /** Ends everything in it, and forgets it. */
  async close(session: PtySession): Promise<void> {
    await this.#remove(session);
  }

  /** @throws SandboxError `conflict` */
  async exec(
    session: PtySession,
    request: Omit<ExecRequest, 'noChangeTimeout'> & { noChangeTimeout?: number | undefined },
    gone?: AbortSignal,
  ): Promise<ExecOutcome> {
    const noChangeTimeout = request.noChangeTimeout ?? session.record.noChangeTimeout ?? NO_CHANGE_SECONDS;
    return this.#queueOf(session).exec({ ...request, noChangeTimeout }, gone);
  }

  /** The shell goes there. @throws SandboxError `invalid`, and as `exec` */
  async enter(session: PtySession, cwd: string): Promise<void> {
    this.#tools.launcher.directory(cwd, undefined);
    const command = `cd -- '${cwd.replaceAll("'", `'\\''`)}'`;
    await this.exec(session, { command, async: false, timeout: ENTER_SECONDS });
  }

  /** Waits until the session's command has ended, or its program has given the terminal back. */
  async wait(session: PtySession, seconds: number, gone?: AbortSignal): Promise<void> {
    const patience = AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(gone ? [gone] : [])]);
    const run = session.run;
    if (run !== undefined) await settlesBefore(run.done, patience);
    while (run === undefined && session.open && session.busy && !patience.aborted) await delay(LOOK_MS);
  }

  /** Ends what runs in the foreground, not the session: SIGTERM, SIGKILL where that does not help. */
  async killCommand(session: PtySession): Promise<{ status: ExecStatus; exitCode: number | null }> {
    if (!session.open || !session.busy)
      return { status: session.open ? 'completed' : 'terminated', exitCode: session.record.exitCode };
    const run = session.run;
    await this.#queueOf(session).end(run);
    return { status: 'terminated', exitCode: run?.console.exitCode ?? null };
  }

  /** From now on the default of the session's commands, in seconds; null takes it away. */
  setNoChangeTimeout(session: PtySession, seconds: number | null): void {
    session.record.noChangeTimeout = seconds;
    session.touch();
    session.save();
  }

  stats(): SessionStats {
    const open = this.#open();
    const active = open.filter(({ busy }) => busy).length;
    const { shellMaxSessions: max, shellSessionTimeout: timeout } = this.#limits;
    return { total: open.length, active, idle: open.length - active, max, timeout };
  }

  /** Opens a real terminal. */
  async probe(): Promise<Finding> {
    try {
      const process = await this.#core.processes.start({
        ...this.#tools.launcher.prepare(randomUUID(), { ...this.#recordOf('probe', {}), command: 'tty' }).spec,
        outputMaxBytes: 65_536,
      });
      const { exitCode } = await process.ended;
      process.acknowledgeExit();
      await process.output.remove();
      return { name: 'terminals', ok: exitCode === 0, detail: `a terminal ended with ${exitCode}` };
    } catch (error) {
      return { name: 'terminals', ok: false, detail: String(error), hint: 'sandboxd doctor says what is missing' };
    }
  }

  /** Ends all sessions. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    clearInterval(this.#sweeper);
    const graceMs = this.#core.config.stopGraceSeconds * 1000;
    await Promise.all(this.list().map((session) => session.close(graceMs)));
    this.#sessions.clear();
    await this.#tools.tmux?.[Symbol.asyncDispose]();
    this.#tools.execFiles[Symbol.dispose]();
    await this.#tools.screens[Symbol.asyncDispose]();
  }

  #recordOf(id: string, terms: SessionTerms): SessionRecord {
    const now = new Date().toISOString();
    const named = terms.id !== undefined;
    const cwd = this.#tools.launcher.directory(terms.cwd, terms.user);
    return {
      id,
      named,
      retention: terms.retention ?? (named ? 'persistent' : 'expiring'),
      user: terms.user ?? null,
      cwd,
      workingDir: cwd,
      env: terms.env ?? {},
      command: terms.command ?? null,
      args: terms.args ?? [],
      cols: terms.cols ?? 80,
      rows: terms.rows ?? 24,
      noChangeTimeout: terms.noChangeTimeout ?? null,
      createdAt: now,
      lastUsedAt: now,
      shells: [],
      exitCode: null,
      signal: null,
      state: 'open',
      console: [],
      current: null,
    };
  }

  #queueOf(session: PtySession): ExecQueue {
    const queue = this.#queues.get(session) ?? new ExecQueue(session);
    this.#queues.set(session, queue);
    return queue;
  }

  #open(): PtySession[] {
    return this.list().filter(({ open }) => open);
  }

  async #makeRoom(): Promise<void> {
    const { shellMaxSessions } = this.#limits;
    while (this.#open().length >= shellMaxSessions) {
      const oldest = nextToGiveWay(this.#open());
      if (oldest === undefined) refuseBeyond(shellMaxSessions, this.#open());
      await this.#remove(oldest);
    }
  }

  async #sweep(timeoutMs: number): Promise<void> {
    await Promise.all(expired(this.list(), timeoutMs).map((session) => this.#remove(session)));
  }

  async #remove(session: PtySession): Promise<void> {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    await session.close();
  }
}
