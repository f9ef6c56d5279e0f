import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../../core/core.ts';
import { SandboxError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import { OutputLog } from '../../core/output-log.ts';
import {
  type HostedProcess,
  type ProcessTarget,
  StartFailure,
  type StartSpec,
} from '../../core/process/process-host.ts';
import { COMMAND_TEXT_KEPT, Command, type CommandRecord } from './command.ts';
import { recordEnd } from './command-end.ts';
import type { CommandStore } from './command-store.ts';
import { HardTimeout, KILL_GRACE_MS, settledWithin } from './deadlines.ts';
import { hashOf } from './idempotency.ts';
import type { CommandSpec, Launcher } from './launcher.ts';
import type { CommandSession, SessionTerms } from './sessions.ts';

/** Milliseconds between two looks at processes that are nobody's children any more. */
const LOOK_MS = 20;

export interface RunRequest extends Omit<CommandSpec, 'stdin'> {
  readonly sessionId?: string | undefined;
  /** Make the session where there is none of that id, or where the call names none. */
  readonly makeSession?: boolean | undefined;
  /** `cwd` is from now on the session's. */
  readonly moveSession?: boolean | undefined;
  /** A pipe for stdin that stays open; else stdin is what `input` says, or /dev/null. */
  readonly openStdin: boolean;
  readonly input?: string | undefined;
  /** Seconds that the call waits for the end; undefined: until it comes. */
  readonly wait: number | undefined;
  /** Seconds after which all processes of the command are ended. */
  readonly hardTimeout?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Runs commands and keeps what they write. The ceilings, the limits and the rules of sessions live here. */
export class CommandService implements AsyncDisposable {
  readonly #core: Core;
  readonly #store: CommandStore;
  readonly #launcher: Launcher;
  readonly #starting = new Map<string, Promise<Command>>();
  #startingCount = 0;
  #closing = false;

  constructor(core: Core, store: CommandStore, launcher: Launcher) {
    this.#core = core;
    this.#store = store;
    this.#launcher = launcher;
  }

  /**
   * Runs a command and waits as the request says.
   * @throws SandboxError `invalid` naming the field, `not_found` (session), `conflict` (idempotency key), `capacity`
   */
  async run(request: RunRequest, gone?: AbortSignal): Promise<Command> {
    const command = await this.#startOnce(request);
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
      running.noted();
      await running.output.remove();
      return { name: 'commands', ok: exitCode === 0, detail: `a command ended with ${exitCode}` };
    } catch (error) {
      return { name: 'commands', ok: false, detail: String(error), hint: 'sandboxd doctor says what is missing' };
    }
  }

  /** Ends all commands: SIGTERM, after the grace SIGKILL. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await Promise.allSettled(this.#starting.values());
    await this.#end(this.#store.all(), this.#core.config.stopGraceSeconds * 1000);
    this.#store[Symbol.dispose]();
  }

  async #startOnce(request: RunRequest): Promise<Command> {
    const { idempotencyKey: key, ...body } = request;
    if (key === undefined) return this.#start(request, null);
    const bodyHash = hashOf(body);
    const known = this.#store.keys.find(key, bodyHash);
    const started = known === undefined ? undefined : this.#store.find(known);
    if (started) return started;
    const pending = this.#starting.get(key);
    if (pending) {
      const command = await pending;
      this.#store.keys.find(key, bodyHash);
      return command;
    }
    const start = this.#start(request, { key, bodyHash });
    this.#starting.set(key, start);
    return start.finally(() => this.#starting.delete(key));
  }

  async #start(request: RunRequest, idempotency: CommandRecord['idempotency']): Promise<Command> {
    if (this.#closing) throw new SandboxError('unavailable', 'the service is stopping');
    this.#refuseBeyondCeiling();
    const id = randomUUID();
    const stdin = request.openStdin || request.input !== undefined ? 'pipe' : 'null';
    const known = this.#sessionOf(request);
    const spec = this.#launcher.prepare(id, { ...request, stdin }, known);
    const session = known ?? (request.makeSession ? this.#makeSession(request.sessionId) : undefined);
    if (session) this.#use(session, request);
    const record = newRecord(id, { ...request, sessionId: session?.id }, spec, idempotency);
    this.#store.announce(record);
    this.#startingCount += 1;
    try {
      return this.#started(record, spec, request, await this.#core.processes.start(spec));
    } catch (error) {
      if (error instanceof StartFailure) return this.#failed(record, error);
      this.#store.note(id, { status: 'failed', endedAt: new Date().toISOString() });
      throw error;
    } finally {
      this.#startingCount -= 1;
    }
  }

  #started(record: CommandRecord, { identity }: StartSpec, request: RunRequest, process: HostedProcess): Command {
    let timers: HardTimeout | undefined;
    const ended = process.ended.then((end) => {
      timers?.commandEnded();
      recordEnd(this.#core, this.#store, command, end, timers?.fired ?? false);
      process.noted();
    });
    const command = new Command({ ...record, status: 'running', pid: process.pid }, process.output, {
      ended,
      identity,
      process,
    });
    this.#store.note(command.id, { status: 'running', pid: process.pid });
    this.#store.add(command);
    if (request.hardTimeout !== undefined) {
      timers = new HardTimeout(request.hardTimeout, (signal) => this.kill(command, signal));
    }
    if (request.input !== undefined) void this.#feed(process, request.input);
    return command;
  }

  #failed(record: CommandRecord, failure: StartFailure): Command {
    const output = new OutputLog(this.#core.runtime.path, record.id);
    output.seal();
    const change = {
      status: 'failed',
      exitCode: failure.exitCode,
      message: failure.message,
      endedAt: new Date().toISOString(),
    } as const;
    const command = new Command({ ...record, ...change }, output, {});
    this.#store.note(command.id, change);
    this.#store.add(command);
    this.#core.metrics.commands.inc({ status: 'failed' });
    return command;
  }

  async #feed(process: HostedProcess, input: string): Promise<void> {
    try {
      if (input !== '') await process.writeStdin(Buffer.from(input));
      await process.endStdin();
    } catch (error) {
      // A command may end without having read what it was given.
      if (!(error instanceof SandboxError)) this.#core.logger.error({ err: error }, 'stdin could not be written');
    }
  }

  #stdinOf(command: Command): HostedProcess {
    if (command.process) return command.process;
    throw new SandboxError('conflict', `the command has ended: ${command.id}`);
  }

  #sessionOf({ sessionId, makeSession }: RunRequest): CommandSession | undefined {
    if (sessionId === undefined) return undefined;
    return makeSession ? this.#store.sessions.find(sessionId) : this.#store.sessions.get(sessionId);
  }

  #makeSession(id: string | undefined): CommandSession {
    return this.#store.createSession({ id, implicit: id === undefined });
  }

  #use(session: CommandSession, { env, cwd, moveSession }: RunRequest): void {
    session.lastUsedAt = new Date().toISOString();
    session.commandCount += 1;
    if (moveSession && cwd !== undefined) session.cwd = cwd;
    if (env !== undefined && Object.keys(env).length > 0) session.env = { ...session.env, ...env };
    this.#store.saveSession(session);
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

  #refuseBeyondCeiling(): void {
    const { commandMaxRunning } = this.#core.config;
    const { running } = this.#store;
    if (running.size + this.#startingCount < commandMaxRunning) return;
    const holders = [...running].map(({ id, record }) => ({
      command_id: id,
      session_id: record.sessionId,
      command: record.command.slice(0, 100),
      started_at: record.startedAt,
    }));
    throw new SandboxError('capacity', `${running.size} commands are running, the ceiling is ${commandMaxRunning}`, {
      hint: 'wait for one to end, kill one, or raise SVC_COMMAND_MAX_RUNNING',
      data: { holders },
    });
  }
}

function newRecord(
  id: string,
  { command, sessionId }: RunRequest,
  { identity }: StartSpec,
  idempotency: CommandRecord['idempotency'],
): CommandRecord {
  return {
    id,
    sessionId: sessionId ?? null,
    command: command.slice(0, COMMAND_TEXT_KEPT),
    user: identity?.name ?? null,
    startedAt: new Date().toISOString(),
    status: 'pending',
    pid: null,
    exitCode: null,
    signal: null,
    background: false,
    endedAt: null,
    usage: null,
    message: null,
    stdoutBytes: 0,
    stderrBytes: 0,
    idempotency,
  };
}
