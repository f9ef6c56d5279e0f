import { randomUUID } from 'node:crypto';
import type { Core } from '../../../core/core.ts';
import { SandboxError } from '../../../core/errors.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { type HostedProcess, StartFailure, type StartSpec } from '../../../core/process/process-host.ts';
import type { CommandStore } from '../store/command-store.ts';
import { hashOf } from '../store/idempotency.ts';
import type { CommandSession } from '../store/sessions.ts';
import { COMMAND_TEXT_KEPT, Command, type CommandRecord } from './command.ts';
import type { CommandSpec, Launcher } from './launcher.ts';
import { trackProcess } from './track-process.ts';

export interface StartRequest extends Omit<CommandSpec, 'stdin'> {
  readonly sessionId?: string | undefined;
  /** Make the session where there is none of that id, or where the call names none. */
  readonly makeSession?: boolean | undefined;
  /** `cwd` is from now on the session's. */
  readonly moveSession?: boolean | undefined;
  /** A pipe for stdin that stays open; else stdin is what `input` says, or /dev/null. */
  readonly openStdin: boolean;
  readonly input?: string | undefined;
  /** Seconds after which all processes of the command are ended. */
  readonly hardTimeout?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Starts commands: at most so many at once, and one for each idempotency key. */
export class CommandStarter implements AsyncDisposable {
  readonly #core: Core;
  readonly #store: CommandStore;
  readonly #launcher: Launcher;
  readonly #maxRunning: number;
  readonly #keyed = new Map<string, Promise<Command>>();
  readonly #pending = new Set<Promise<Command>>();
  #closing = false;

  constructor(core: Core, store: CommandStore, launcher: Launcher, maxRunning: number) {
    this.#maxRunning = maxRunning;
    this.#core = core;
    this.#store = store;
    this.#launcher = launcher;
  }

  /** With an idempotency key, all fields of the request count, also those that are not for here.
   * @throws SandboxError `invalid` naming the field, `not_found` (session), `conflict` (idempotency key), `capacity` */
  async start(request: StartRequest): Promise<Command> {
    const { idempotencyKey: key, ...body } = request;
    if (key === undefined) return this.#counted(request, null);
    const bodyHash = hashOf(body);
    const known = this.#store.keys.find(key, bodyHash);
    const started = known === undefined ? undefined : this.#store.find(known);
    if (started) return started;
    const pending = this.#keyed.get(key);
    if (pending) {
      const command = await pending;
      this.#store.keys.find(key, bodyHash);
      return command;
    }
    const start = this.#counted(request, { key, bodyHash });
    this.#keyed.set(key, start);
    return start.finally(() => this.#keyed.delete(key));
  }

  /** From now on nothing is started; resolves when nothing is about to be. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await Promise.allSettled(this.#pending);
  }

  async #counted(request: StartRequest, idempotency: CommandRecord['idempotency']): Promise<Command> {
    if (this.#closing) throw new SandboxError('unavailable', 'the service is stopping');
    this.#refuseBeyondCeiling();
    const start = this.#start(request, idempotency);
    this.#pending.add(start);
    return start.finally(() => this.#pending.delete(start));
  }

  async #start(request: StartRequest, idempotency: CommandRecord['idempotency']): Promise<Command> {
    const id = randomUUID();
    const stdin = request.openStdin || request.input !== undefined ? 'pipe' : 'null';
    const known = this.#sessionOf(request);
    const spec = this.#launcher.prepare(id, { ...request, stdin }, known);
    const session = known ?? (request.makeSession ? this.#makeSession(request.sessionId) : undefined);
    if (session) this.#use(session, request);
    const record = newRecord(id, { ...request, sessionId: session?.id }, spec, idempotency);
    this.#store.announce(record);
    try {
      return this.#started(record, spec, request, await this.#core.processes.start(spec));
    } catch (error) {
      if (error instanceof StartFailure) return this.#failed(record, error);
      this.#store.note(id, { status: 'failed', endedAt: new Date().toISOString() });
      throw error;
    }
  }

  #started(record: CommandRecord, { identity }: StartSpec, { input }: StartRequest, process: HostedProcess): Command {
    const command = trackProcess(this.#core, this.#store, record, process, identity);
    this.#store.note(command.id, { status: 'running', pid: process.pid });
    this.#store.add(command);
    if (input !== undefined) void this.#feed(process, input);
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

  #sessionOf({ sessionId, makeSession }: StartRequest): CommandSession | undefined {
    if (sessionId === undefined) return undefined;
    return makeSession ? this.#store.sessions.find(sessionId) : this.#store.sessions.get(sessionId);
  }

  #makeSession(id: string | undefined): CommandSession {
    return this.#store.createSession({ id, implicit: id === undefined });
  }

  #use(session: CommandSession, { env, cwd, moveSession }: StartRequest): void {
    session.lastUsedAt = new Date().toISOString();
    session.commandCount += 1;
    if (moveSession && cwd !== undefined) session.cwd = cwd;
    if (env !== undefined && Object.keys(env).length > 0) session.env = { ...session.env, ...env };
    this.#store.saveSession(session);
  }

  #refuseBeyondCeiling(): void {
    const { running } = this.#store;
    if (running.size + this.#pending.size < this.#maxRunning) return;
    const holders = [...running].map(({ id, record }) => ({
      commandId: id,
      sessionId: record.sessionId,
      command: record.command.slice(0, 100),
      startedAt: record.startedAt,
    }));
    throw new SandboxError('capacity', `${running.size} commands are running, the ceiling is ${this.#maxRunning}`, {
      hint: 'wait for one to end, kill one, or raise SVC_COMMAND_MAX_RUNNING',
      data: { holders },
    });
  }
}

function newRecord(
  id: string,
  { command, sessionId, hardTimeout }: StartRequest,
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
    hardTimeout: hardTimeout ?? null,
    timedOut: false,
    idempotency,
  };
}
