import type { Core } from '../../core/core.ts';
import type { Finding } from '../../core/finding.ts';
import type { ExecStatus } from './exec/exec-run.ts';
import { awaitForeground, ExecQueue, type ExecRequest } from './exec.ts';
import { probeTerminal } from './probe.ts';
import type { ScreenFormat, ScreenLook } from './screen/screen-protocol.ts';
import type { ExecutedCommand } from './session/exec-tracker.ts';
import type { PtySession, SessionTools } from './session/session.ts';
import { SessionStore } from './session-store.ts';

/** Seconds without output after which a call of `exec` is answered, where neither call nor session says. */
export const NO_CHANGE_SECONDS = 120;
/** Seconds that a shell may take to change its directory. */
const ENTER_SECONDS = 10;

/** A command; the default of its session applies where it has no `noChangeTimeout`. */
type ExecCall = Omit<ExecRequest, 'noChangeTimeout'> & { readonly noChangeTimeout?: number | undefined };

/** An answered call of `exec`: the command with its output so far. */
export interface ExecReport extends ExecutedCommand {
  readonly sessionId: string;
  readonly status: ExecStatus;
  /** -1 where a signal ended the shell. */
  readonly exitCode: number | null;
}

/** What a session has shown: the executed commands, oldest first, or its screen where there are none. */
export interface SessionView {
  readonly executed: readonly ExecutedCommand[];
  readonly screen: string | undefined;
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

  /** @throws SandboxError `conflict` where the session has ended or another command runs for longer than the timeout */
  async exec(session: PtySession, call: ExecCall, gone?: AbortSignal): Promise<ExecReport> {
    using _held = this.sessions.hold(session);
    const noChangeTimeout = call.noChangeTimeout ?? session.record.noChangeTimeout ?? NO_CHANGE_SECONDS;
    const { run, status } = await this.#queueOf(session).exec({ ...call, noChangeTimeout }, gone);
    const output = await run.output();
    const { ps1, command, exitCode } = run.console;
    return { sessionId: session.id, ps1, command, output, status, exitCode };
  }

  /**
   * Executes in the session of the id, whose shell enters `cwd` first, or in a new session.
   * @throws SandboxError `not_found`, and as `create`, `enter` and `exec`
   */
  async execIn(
    { id, cwd }: { readonly id?: string | undefined; readonly cwd?: string | undefined },
    call: ExecCall,
    gone?: AbortSignal,
  ): Promise<ExecReport> {
    using held = id === undefined ? await this.sessions.open({ cwd }) : this.sessions.hold(this.sessions.get(id));
    const { session } = held;
    if (id !== undefined && cwd !== undefined && session.workingDir !== cwd) await this.enter(session, cwd);
    return await this.exec(session, call, gone);
  }

  /** Changes the directory of the shell. @throws SandboxError `invalid`, and as `exec` */
  async enter(session: PtySession, cwd: string): Promise<void> {
    this.#tools.launcher.directory(cwd, undefined);
    const command = `cd -- '${cwd.replaceAll("'", `'\\''`)}'`;
    await this.exec(session, { command, async: false, timeout: ENTER_SECONDS });
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

  /** Ends the foreground program, not the session: SIGTERM, SIGKILL where that does not help. */
  async killCommand(session: PtySession): Promise<{ status: ExecStatus; exitCode: number | null }> {
    if (!session.open || !session.busy) {
      return { status: session.open ? 'completed' : 'terminated', exitCode: session.record.exitCode };
    }
    using _held = this.sessions.hold(session);
    const { run } = session;
    await this.#queueOf(session).end(run);
    return { status: 'terminated', exitCode: run?.console.exitCode ?? null };
  }

  /** The screen with all output so far, after up to `seconds` of waiting for output newer than the call. */
  async screen(
    session: PtySession,
    { seconds, format }: { readonly seconds: number; readonly format: ScreenFormat },
    gone: AbortSignal,
  ): Promise<ScreenLook & { readonly offset: number }> {
    using _held = this.sessions.hold(session);
    const { history, screen } = session;
    const bound = AbortSignal.any([gone, AbortSignal.timeout(seconds * 1000)]);
    if (seconds > 0) await history.advanced(history.end, bound);
    return await screen.look(format, gone);
  }

  /** The executed commands with their output, or the screen. */
  async view(session: PtySession, gone: AbortSignal): Promise<SessionView> {
    using _held = this.sessions.hold(session);
    const executed = await session.executed();
    const screen = executed.length > 0 ? undefined : (await session.screen.look('text', gone)).output.trimEnd();
    return { executed, screen };
  }

  stats(): SessionStats {
    const open = this.list().filter((session) => session.open);
    const active = open.filter(({ busy }) => busy).length;
    const { shellMaxSessions: max, shellSessionTimeout: timeout } = this.#limits;
    return { total: open.length, active, idle: open.length - active, max, timeout };
  }

  /** Opens a real terminal. */
  probe(): Promise<Finding> {
    return probeTerminal(this.#core.processes, this.#tools.launcher);
  }

  /** Ends all sessions. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.sessions.end(this.#core.config.stopGraceSeconds * 1000);
    await this.#tools.tmux?.[Symbol.asyncDispose]();
    this.#tools.execFiles[Symbol.dispose]();
    await this.#tools.screens[Symbol.asyncDispose]();
  }

  #queueOf(session: PtySession): ExecQueue {
    const queue = this.#queues.get(session) ?? new ExecQueue(session);
    this.#queues.set(session, queue);
    return queue;
  }
}
