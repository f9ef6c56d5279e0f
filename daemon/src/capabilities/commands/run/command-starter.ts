import { randomUUID } from 'node:crypto';
import type { Core } from '../../../core/core.ts';
import { SandboxError } from '../../../core/errors.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { type HostedProcess, StartFailure } from '../../../core/process/process-host.ts';
import type { CommandStore } from '../store/command-store.ts';
import { hashOf } from '../store/idempotency.ts';
import type { CommandSession } from '../store/sessions.ts';
import { Command, type CommandRecord, newRecord } from './command.ts';
import type { CommandSpec, Launcher } from './launcher.ts';
import { trackProcess } from './track-process.ts';

export interface StartRequest extends Omit<CommandSpec, 'stdin'> {
  readonly sessionId?: string | undefined;
  /** Create the session where the id is unknown, or an implicit one where there is no id. */
  readonly makeSession?: boolean | undefined;
  /** Make `cwd` the default of the session. */
  readonly moveSession?: boolean | undefined;
  /** `env` is for this command alone; else it becomes part of the session's environment. */
  readonly ownEnv?: boolean | undefined;
  /** A pipe for stdin that stays open; else stdin is `input`, or /dev/null. */
  readonly openStdin: boolean;
  readonly input?: string | undefined;
  /** Seconds after which all processes of the command are ended. */
  readonly hardTimeout?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Starts commands: as many at once as the ceiling allows, and one for each idempotency key. */
export class CommandStarter implements AsyncDisposable {
  readonly #core: Core;
  readonly #store: CommandStore;
  readonly #launcher: Launcher;
  readonly #maxRunning: number;
  readonly #keyed = new Map<string, Promise<Command>>();
  /** Settle when their command is started or refused. */
  readonly #starting = new Set<Promise<void>>();
  #closing = false;

  constructor(core: Core, store: CommandStore, launcher: Launcher, maxRunning: number) {
    this.#maxRunning = maxRunning;
    this.#core = core;
    this.#store = store;
    this.#launcher = launcher;
  }

  /**
   * An idempotency key stands for all fields of the request, also those that only the caller reads.
   * @throws SandboxError `invalid` naming the field, `not_found` (session), `conflict` (idempotency key), `capacity`
   */
  async start(request: StartRequest): Promise<Command> {
    const { idempotencyKey: key, ...body } = request;
    if (key === undefined) return this.#start(request, null);
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
    const start = this.#start(request, { key, bodyHash });
    this.#keyed.set(key, start);
    return start.finally(() => this.#keyed.delete(key));
  }

  /** Refuses further starts; resolves when those under way are settled. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#starting);
  }

  async #start(request: StartRequest, idempotency: CommandRecord['idempotency']): Promise<Command> {
    using _place = this.#takePlace();
    const id = randomUUID();
    const stdin = request.openStdin || request.input !== undefined ? 'pipe' : 'null';
    const known = this.#sessionOf(request);
    const spec = this.#launcher.prepare(id, { ...request, stdin }, known);
    const session = known ?? this.#newSession(request);
    if (session) this.#use(session, request);
    const record = newRecord({
      id,
      command: request.command,
      sessionId: session?.id ?? null,
      user: spec.identity?.name ?? null,
      hardTimeout: request.hardTimeout ?? null,
      idempotency,
    });
    this.#store.announce(record);
    try {
      const process = await this.#core.processes.start(spec);
      const command = trackProcess(this.#core, this.#store, record, process, spec.identity);
      this.#store.note(id, { status: 'running', pid: process.pid });
      this.#store.add(command);
      if (request.input !== undefined) void this.#feed(process, request.input);
      return command;
    } catch (error) {
      if (error instanceof StartFailure) return this.#failed(record, error);
      this.#store.note(id, { status: 'failed', endedAt: new Date().toISOString() });
      throw error;
    }
  }

  /** A place below the ceiling, from now until the command counts as running itself. */
  #takePlace(): Disposable {
    if (this.#closing) throw new SandboxError('unavailable', 'the service is stopping');
    this.#refuseBeyondCeiling();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#starting.add(promise);
    return {
      [Symbol.dispose]: () => {
        this.#starting.delete(promise);
        resolve();
      },
    };
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
      // A command may end before it has read its input.
      if (!(error instanceof SandboxError)) this.#core.logger.error({ err: error }, 'stdin could not be written');
    }
  }

  #sessionOf({ sessionId, makeSession }: StartRequest): CommandSession | undefined {
    if (sessionId === undefined) return undefined;
    return makeSession ? this.#store.sessions.find(sessionId) : this.#store.sessions.get(sessionId);
  }

  #newSession({ sessionId, makeSession }: StartRequest): CommandSession | undefined {
    return makeSession ? this.#store.createSession({ id: sessionId, implicit: sessionId === undefined }) : undefined;
  }

  #use(session: CommandSession, { env, cwd, moveSession, ownEnv }: StartRequest): void {
    session.lastUsedAt = new Date().toISOString();
    session.commandCount += 1;
    if (moveSession && cwd !== undefined) session.cwd = cwd;
    if (!ownEnv && env !== undefined && Object.keys(env).length > 0) session.env = { ...session.env, ...env };
    this.#store.saveSession(session);
  }

  #refuseBeyondCeiling(): void {
    const { running } = this.#store;
    if (running.size + this.#starting.size < this.#maxRunning) return;
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
