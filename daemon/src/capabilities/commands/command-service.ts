import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../../core/core.ts';
import { SandboxError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import type { HostedProcess, ProcessTarget } from '../../core/process/process-host.ts';
import type { Command } from './run/command.ts';
import { CommandStarter, type StartRequest } from './run/command-starter.ts';
import { KILL_GRACE_MS, settledWithin } from './run/deadlines.ts';
import type { Launcher } from './run/launcher.ts';
import type { CommandStore } from './store/command-store.ts';
import type { CommandSession, SessionTerms } from './store/sessions.ts';

/** Milliseconds between two looks at processes that are nobody's children any more. */
const LOOK_MS = 20;

export interface RunRequest extends StartRequest {
  /** Seconds that the call waits for the end; undefined: until it comes. */
  readonly wait: number | undefined;
}

/** Runs commands and keeps what they write. The rules of sessions live here, those of starting in the starter. */
export class CommandService implements AsyncDisposable {
  readonly #core: Core;
  readonly #store: CommandStore;
  readonly #launcher: Launcher;
  readonly #starter: CommandStarter;

  constructor(core: Core, store: CommandStore, launcher: Launcher, maxRunning: number) {
    this.#core = core;
    this.#store = store;
    this.#launcher = launcher;
    this.#starter = new CommandStarter(core, store, launcher, maxRunning);
  }

  /**
   * Runs a command and waits as the request says.
   * @throws SandboxError `invalid` naming the field, `not_found` (session), `conflict` (idempotency key), `capacity`
   */
  async run(request: RunRequest, gone?: AbortSignal): Promise<Command> {
    const command = await this.#starter.start(request);
    await settledWithin(command.ended, request.wait, gone);
    return command;
  }

  get(id: string): Command {
    return this.#store.get(id);
  }

  list(filter: Parameters<CommandStore['list']>[0]): Command[] {
    return this.#store.list(filter);
  }

  /** @throws SandboxError `conflict` where the command has ended or has no pipe */
  async writeStdin(command: Command, bytes: Uint8Array, gone?: AbortSignal): Promise<void> {
    await this.#stdinOf(command).writeStdin(bytes, gone);
  }

  async endStdin(command: Command): Promise<void> {
    await this.#stdinOf(command).endStdin();
  }

  /** Signals all processes of the command, also those that it left behind; answers how many there were. */
  async kill({ target }: Command, signal: string): Promise<number> {
    return target ? this.#core.processes.signal([target], signal) : 0;
  }

  /** @throws SandboxError `invalid`, `forbidden`, `conflict`, `capacity` */
  createSession(terms: SessionTerms): CommandSession {
    if (terms.cwd !== undefined) this.#launcher.requireDirectory(terms.cwd);
    if (terms.user !== undefined) this.#launcher.identityOf(terms.user);
    return this.#store.createSession(terms);
  }

  session(id: string): CommandSession {
    return this.#store.sessions.get(id);
  }

  findSession(id: string): CommandSession | undefined {
    return this.#store.sessions.find(id);
  }

  sessions(): CommandSession[] {
    return this.#store.sessions.list();
  }

  /** From now on the default of the session's commands. @throws SandboxError `invalid` */
  moveSession(session: CommandSession, cwd: string): void {
    session.cwd = this.#launcher.requireDirectory(cwd);
    this.#store.saveSession(session);
  }

  /** Where the session's commands begin. */
  directoryOf({ cwd, user }: CommandSession): string {
    return this.#launcher.directory(cwd ?? undefined, user ?? undefined);
  }

  /** The commands of a session, oldest first. */
  commandsOf(sessionId: string): Command[] {
    return this.#store.ofSession(sessionId);
  }

  /** Ends every process of the session's commands: SIGTERM, 2 s later SIGKILL. @throws SandboxError `not_found` */
  async closeSession(id: string): Promise<void> {
    this.#store.sessions.get(id);
    this.#store.removeSession(id);
    await this.#end(this.#store.ofSession(id), KILL_GRACE_MS);
  }

  /** Runs a real command. */
  async probe(): Promise<Finding> {
    const id = randomUUID();
    try {
      const spec = this.#launcher.prepare(id, { command: 'printf ready', shell: 'auto', stdin: 'null' }, undefined);
      const running = await this.#core.processes.start(spec);
      const { exitCode } = await running.ended;
      running.acknowledgeExit();
      await running.output.remove();
      return { name: 'commands', ok: exitCode === 0, detail: `a command ended with ${exitCode}` };
    } catch (error) {
      return { name: 'commands', ok: false, detail: String(error), hint: 'sandboxd doctor says what is missing' };
    }
  }

  /** Ends all commands: SIGTERM, after the grace SIGKILL. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#starter[Symbol.asyncDispose]();
    await this.#end(this.#store.all(), this.#core.config.stopGraceSeconds * 1000);
    this.#store[Symbol.dispose]();
  }

  #stdinOf(command: Command): HostedProcess {
    if (command.process) return command.process;
    throw new SandboxError('conflict', `the command has ended: ${command.id}`);
  }

  async #end(commands: readonly Command[], graceMs: number): Promise<void> {
    const targets = (): ProcessTarget[] => commands.flatMap(({ target }) => target ?? []);
    if ((await this.#core.processes.signal(targets(), 'SIGTERM')) > 0) {
      const deadline = performance.now() + graceMs;
      while (performance.now() < deadline && (await this.#core.processes.living(targets())) > 0) await delay(LOOK_MS);
      await this.#core.processes.signal(targets(), 'SIGKILL');
    }
    await Promise.all(commands.map(({ ended }) => ended));
  }
}
