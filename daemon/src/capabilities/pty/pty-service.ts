import { timeoutSignal } from '@sandbox/api/wait.ts';
import type { Core } from '../../core/core.ts';
import type { Finding } from '../../core/finding.ts';
import type { KilledProgram } from '../../core/process/memory-kill.ts';
import { ENDING_SIGNALS } from './exec/ending.ts';
import { awaitForeground, ExecQueue, type ExecRequest } from './exec/exec-queue.ts';
import type { Entry } from './exec/exec-script.ts';
import type { ExecStatus } from './exec/exec-status.ts';
import { plainText } from './exec/plain-text.ts';
import { probeTerminal } from './probe.ts';
import type { ScreenFormat, ScreenLook } from './screen/screen-protocol.ts';
import type { ExecutedCommand } from './session/exec-tracker.ts';
import type { History } from './session/history.ts';
import type { PtySession, SessionTools } from './session/session.ts';
import { SessionStore } from './session-store.ts';

/** Seconds without output after which 1.x answers `exec`, if neither call nor session says; `/v2` has no default. */
export const NO_CHANGE_SECONDS = 120;
/** Bytes of output that `view` shows in place of a screen. */
const TEXT_BYTES = 256 * 1024;
/** A command; where it has no `noChangeTimeout`, that of its session applies, else the default of the call. */
type ExecCall = ExecRequest & { readonly noChangeDefault?: number };

/** An answered call of `exec`: the command with its output so far. */
export interface ExecReport extends ExecutedCommand {
  readonly sessionId: string;
  readonly status: ExecStatus;
  /** -1 if a signal ended the shell. */
  readonly exitCode: number | null;
  readonly signal: string | undefined;
  /** Undefined: the memory limit killed nothing that is known. */
  readonly memoryKilled: KilledProgram | undefined;
  /** The shell ended with the command: its variables and functions are lost. */
  readonly lostShell: boolean;
}

interface Killed {
  readonly status: ExecStatus;
  readonly exitCode: number | null;
  readonly lostShell: boolean;
}

/** What a session has shown: the executed commands, oldest first, and the text of its terminal. */
export interface SessionView {
  readonly executed: readonly ExecutedCommand[];
  readonly text: string;
}

export interface SessionStats {
  readonly total: number;
  readonly active: number;
  readonly idle: number;
  readonly max: number;
  /** Seconds. */
  readonly timeout: number;
}

/** Bounds of the sessions. */
export interface SessionLimits {
  readonly shellMaxSessions: number;
  /** Seconds. */
  readonly shellSessionTimeout: number;
}

/** Terminals. Each call holds the session that it works with, so that the session stays until the call is answered. */
export class PtyService implements AsyncDisposable {
  readonly sessions: SessionStore;
  readonly #core: Core;
  readonly #tools: SessionTools;
  readonly #limits: SessionLimits;
  readonly #queues = new WeakMap<PtySession, ExecQueue>();

  constructor(core: Core, tools: SessionTools, limits: SessionLimits, found: readonly PtySession[]) {
    const { shellMaxSessions: ceiling, shellSessionTimeout: timeoutSeconds } = limits;
    this.#limits = limits;
    this.#core = core;
    this.#tools = tools;
    this.sessions = new SessionStore(tools, found, { ceiling, timeoutSeconds });
  }

  /** The program that holds the terminals. */
  get backend(): string {
    return this.#tools.tmux ? 'tmux' : 'native';
  }

  list(): PtySession[] {
    return this.sessions.list();
  }

  /** @throws SandboxError `conflict` if the session has ended or another command runs for longer than the timeout */
  async exec(session: PtySession, call: ExecCall, gone?: AbortSignal): Promise<ExecReport> {
    using _held = this.sessions.hold(session);
    const noChangeTimeout = call.noChangeTimeout ?? session.record.noChangeTimeout ?? call.noChangeDefault;
    const { run, status } = await this.#queueOf(session).exec({ ...call, noChangeTimeout }, gone);
    const [output] = await Promise.all([run.output(), status === 'running' || run.status === 'running' || run.told]);
    const { ps1, command, exitCode, signal, memoryKilled } = run.console;
    const { lostShell } = run;
    return { sessionId: session.id, ps1, command, output, status, exitCode, signal, memoryKilled, lostShell };
  }

  /**
   * Executes in the session of the id, whose shell enters the directory first, or in a new session.
   * @throws SandboxError `not_found`, `invalid` for a required directory that is none, and as `create` and `exec`
   */
  async execIn(
    { id, directory }: { readonly id?: string | undefined; readonly directory?: Entry | undefined },
    call: ExecCall,
    gone?: AbortSignal,
  ): Promise<ExecReport> {
    const known = id === undefined ? undefined : this.sessions.get(id);
    const entry = directory && this.#entryOf(directory);
    if (known === undefined) return await this.#execInNew(entry, call, gone);
    return await this.exec(known, { ...call, entry }, gone);
  }

  /** Waits up to `seconds` for the end of the session's command, or of its foreground program. */
  async wait(session: PtySession, seconds: number, gone?: AbortSignal): Promise<void> {
    using _held = this.sessions.hold(session);
    await awaitForeground(session, seconds, gone);
  }

  /** Types bytes. @throws SandboxError `conflict` after the end of the session */
  async write(session: PtySession, bytes: Uint8Array, gone?: AbortSignal): Promise<void> {
    using _held = this.sessions.hold(session);
    await session.write(bytes, gone);
  }

  /**
   * Ends the command with all that it started, or the foreground program; not the session.
   * @returns the exit code with which the last command had ended before; null if a program ran
   */
  async killCommand(session: PtySession): Promise<Killed> {
    if (!session.open || !session.busy) {
      const exitCode = session.record.console.at(-1)?.exitCode ?? session.record.exitCode;
      return { status: session.lastStatus, exitCode, lostShell: false };
    }
    using _held = this.sessions.hold(session);
    const { run } = session;
    await this.#queueOf(session).end(run, 'terminated');
    return { status: 'terminated', exitCode: null, lostShell: run?.lostShell ?? false };
  }

  /**
   * Signals the foreground group. While `exec` runs a command, a signal that asks for an end ends the command as
   * `killCommand` does, with that signal first. @throws SandboxError `conflict` after the end of the session
   */
  async signal(session: PtySession, signal: NodeJS.Signals): Promise<{ delivered: boolean; lostShell: boolean }> {
    using _held = this.sessions.hold(session);
    const { run } = session;
    const first = ENDING_SIGNALS.find((one) => one === signal && one !== 'SIGINT');
    if (run === undefined || first === undefined) return { delivered: await session.signal(signal), lostShell: false };
    await this.#queueOf(session).end(run, 'terminated', first);
    return { delivered: true, lostShell: run.lostShell };
  }

  /** The screen with all output so far, after up to `seconds` of waiting for output newer than the call. */
  async screen(
    session: PtySession,
    { seconds, format }: { readonly seconds: number; readonly format: ScreenFormat },
    gone: AbortSignal,
  ): Promise<ScreenLook & { readonly offset: number }> {
    using _held = this.sessions.hold(session);
    const { history, screen } = session;
    const bound = AbortSignal.any([gone, timeoutSignal(seconds * 1000)]);
    if (seconds > 0) await history.advanced(history.end, bound);
    return await screen.look(format, gone);
  }

  /** The executed commands with their output, and the text of the terminal. */
  async view(session: PtySession, gone: AbortSignal): Promise<SessionView> {
    using _held = this.sessions.hold(session);
    const executed = await session.executed();
    if (session.screen.failure !== undefined) return { executed, text: await textOf(session.history) };
    return { executed, text: (await session.screen.look('transcript', gone)).output };
  }

  /** @param usedWithin seconds: sessions used within them are active; unset: those that are busy */
  stats(usedWithin?: number): SessionStats {
    const open = this.list().filter((session) => session.open);
    const withinMs = usedWithin === undefined ? undefined : usedWithin * 1000;
    const active = open.filter(({ busy, usage }) => (withinMs === undefined ? busy : usage.idleMs <= withinMs)).length;
    const { shellMaxSessions: max, shellSessionTimeout: timeout } = this.#limits;
    return { total: open.length, active, idle: open.length - active, max, timeout };
  }

  /** Opens a real terminal. */
  probe(): Promise<Finding> {
    return probeTerminal(this.#core.processes, this.#tools.launcher, this.#core.clock);
  }

  /** Ends all sessions. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.sessions.end(this.#core.config.stopGraceSeconds * 1000);
    await this.#tools.tmux?.[Symbol.asyncDispose]();
    this.#tools.execFiles[Symbol.dispose]();
    await this.#tools.screens[Symbol.asyncDispose]();
  }

  /** If all places are busy, the call waits for one within its own timeout. */
  async #execInNew(entry: Entry | undefined, call: ExecCall, gone?: AbortSignal): Promise<ExecReport> {
    const begun = performance.now();
    const { opened } = await this.sessions.openInTurn({ cwd: entry?.path }, call.timeout, gone);
    using held = await opened;
    const waited = (performance.now() - begun) / 1000;
    const timeout = call.timeout === undefined ? undefined : Math.max(0, call.timeout - waited);
    return await this.exec(held.session, { ...call, entry, timeout }, gone);
  }

  /** Undefined if the directory does not exist and is not required. */
  #entryOf(entry: Entry): Entry | undefined {
    try {
      this.#tools.launcher.directory(entry.path, undefined);
      return entry;
    } catch (error) {
      if (entry.required || !entry.path.startsWith('/')) throw error;
      return undefined;
    }
  }

  #queueOf(session: PtySession): ExecQueue {
    const queue = this.#queues.get(session) ?? new ExecQueue(session);
    this.#queues.set(session, queue);
    return queue;
  }
}

/** The end of the output as text, of a terminal without a screen. */
async function textOf(history: History): Promise<string> {
  const { bytes } = await history.read(Math.max(history.first, history.end - TEXT_BYTES), TEXT_BYTES);
  return plainText(bytes.toString('utf8'));
}
