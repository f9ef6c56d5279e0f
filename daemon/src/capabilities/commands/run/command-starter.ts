import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Core } from '../../../core/core.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { PlaceQueue } from '../../../core/place-queue.ts';
import { type BeforeChange, noChange } from '../../../core/ports/before-change-port.ts';
import { type HostedProcess, StartFailure, type StartSpec } from '../../../core/process/process-host.ts';
import type { CommandStore } from '../store/command-store.ts';
import { hashOf } from '../store/idempotency.ts';
import type { CommandSession } from '../store/sessions.ts';
import { Command, type CommandRecord, endedNow, newRecord } from './command.ts';
import { noteBegun, noteEnded } from './command-events.ts';
import { CommandSpan } from './command-span.ts';
import type { CommandSpec, Launcher } from './launcher.ts';
import { trackProcess } from './track-process.ts';

export interface StartRequest extends Omit<CommandSpec, 'stdin' | 'traceparent'> {
  readonly sessionId?: string | undefined;
  /** Text of the record, if it is not the command. */
  readonly shownAs?: string | undefined;
  /** Create the session if the id is unknown, or an implicit one where there is no id. */
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
  /** Seconds that the call waits for the end; 0: it does not. */
  readonly wait?: number | undefined;
}

/** Milliseconds that a call waits for the process host to start a command. */
export const START_PATIENCE_MS = 5000;
/** A UTF-8 text of so many characters fits into a record of the process host. */
const MAX_RECORD_CHARACTERS = 128 * 1024;

/** Starts commands: as many at once as the ceiling allows, and one for each idempotency key. */
export class CommandStarter implements AsyncDisposable {
  readonly #core: Core;
  readonly #store: CommandStore;
  readonly #launcher: Launcher;
  readonly #maxRunning: number;
  readonly #before: BeforeChange;
  readonly #keyed = new Map<string, Promise<Command>>();
  /** Settle when their command is started or refused. */
  readonly #starting = new Set<Promise<void>>();
  readonly #waiting = new PlaceQueue();
  #closing = false;

  /** @param before what happens before each start */
  constructor(
    core: Core,
    store: CommandStore,
    launcher: Launcher,
    maxRunning: number,
    before: BeforeChange = noChange,
  ) {
    this.#maxRunning = maxRunning;
    this.#before = before;
    this.#core = core;
    this.#store = store;
    this.#launcher = launcher;
  }

  /**
   * Resolves with a pending command if the process host has not answered after `patienceMs` milliseconds, since it
   * may still carry the start out. An idempotency key stands for all fields of the request, also those that only the caller reads.
   * If as many commands run as may, it waits for the end of one, up to 10 s and the wait of the call.
   * @param gone ends that wait; not of a request with an idempotency key, whose command other calls wait for too
   * @throws SandboxError `invalid` naming the field, `not_found` (session), `conflict` (idempotency key), `capacity`
   */
  async start(request: StartRequest, patienceMs: number, gone?: AbortSignal): Promise<Command> {
    const { idempotencyKey: key, ...body } = request;
    if (key === undefined) return this.#start(request, null, patienceMs, gone);
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
    this.#store.keys.requireRoom();
    const start = this.#start(request, { key, bodyHash }, patienceMs);
    this.#keyed.set(key, start);
    return start.finally(() => this.#keyed.delete(key));
  }

  /** Refuses further starts; resolves when those under way are settled. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#starting);
  }

  async #start(
    request: StartRequest,
    idempotency: CommandRecord['idempotency'],
    patienceMs: number,
    gone?: AbortSignal,
  ): Promise<Command> {
    using _place = await this.#placeInTurn(request, gone);
    const user = request.user ?? this.#sessionOf(request)?.user ?? undefined;
    await this.#before({ what: 'a command', user });
    const id = randomUUID();
    const stdin = request.openStdin || request.input !== undefined ? 'pipe' : 'null';
    const known = this.#sessionOf(request);
    using span = new CommandSpan(this.#core.tracing, id);
    const spec = this.#launcher.prepare(id, { ...request, stdin, traceparent: span.traceparent }, known);
    const session = known ?? this.#newSession(request);
    if (session) this.#use(session, request);
    const record = newRecord({
      id,
      command: request.shownAs ?? request.command,
      startedTick: this.#core.clock.now(),
      sessionId: session?.id ?? null,
      user: spec.identity?.name ?? null,
      hardTimeout: request.hardTimeout ?? null,
      idempotency,
      inputBytes: request.input === undefined ? null : Buffer.byteLength(request.input),
    });
    const begun = this.#begin(request, { ...spec, ...this.#keptBy(record, request) }, record);
    span.endWith(begun);
    const settled = begun.then(ignore, ignore);
    if ((await waitFor(settled, { ms: patienceMs })) === 'settled') return begun;
    const pending = new Command(record, new OutputLog(this.#core.runtime.path, id), {
      identity: spec.identity,
      started: settled,
      ended: begun.then(({ ended }) => ended, ignore),
    });
    this.#store.add(pending);
    void begun.catch((error: unknown) => {
      this.#store.update(pending, { status: 'failed', message: String(error), ...endedNow(this.#core.clock) });
    });
    return pending;
  }

  /** @throws what the process host refuses with, before it could carry the start out */
  async #begin(request: StartRequest, spec: StartSpec, record: CommandRecord): Promise<Command> {
    try {
      const process = await this.#core.processes.start(spec);
      const command = trackProcess(this.#core, this.#store, record, process, spec.identity);
      this.#store.addStarted(command);
      noteBegun(this.#core, command.record, spec.cwd);
      if (request.input !== undefined) await this.#feed(command, process, Buffer.from(request.input), false);
      return command;
    } catch (error) {
      if (error instanceof StartFailure) return this.#failed(record, error);
      this.#store.announceFailed({ ...record, status: 'failed', ...endedNow(this.#core.clock) });
      throw error;
    }
  }

  /** A host that survives the daemon keeps the record, so that it is journaled after the start; else before it. */
  #keptBy(record: CommandRecord, { wait }: StartRequest): Pick<StartSpec, 'record' | 'isAsync'> {
    const text = JSON.stringify(record);
    if (this.#core.processes.promises.survivesDaemon && text.length <= MAX_RECORD_CHARACTERS) {
      return { record: text, isAsync: wait === 0 };
    }
    this.#store.announce(record);
    return { isAsync: wait === 0 };
  }

  async #placeInTurn({ wait }: StartRequest, gone: AbortSignal | undefined): Promise<Disposable> {
    using _turn = wait === 0 ? undefined : await this.#waiting.turn(() => this.#closing || this.#hasRoom(), wait, gone);
    return this.#takePlace();
  }

  #hasRoom(): boolean {
    return this.#store.running.size + this.#starting.size < this.#maxRunning;
  }

  /** A place below the ceiling, from now until the command counts as running itself. */
  #takePlace(): Disposable {
    if (this.#closing) throw new SandboxError('unavailable', 'the service is stopping');
    this.#refuseBeyondCeiling();
    this.#store.requireRoom();
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
      ...endedNow(this.#core.clock),
    } as const;
    const command = new Command({ ...record, ...change }, output, {});
    this.#store.announceFailed(command.record);
    this.#store.add(command);
    noteBegun(this.#core, record, undefined);
    noteEnded(this.#core, command.record);
    this.#core.metrics.commands.inc({ status: 'failed' });
    return command;
  }

  /** Resolves when the host holds the input; what it has no room for follows, as long as this daemon lives. */
  async #feed(command: Command, process: HostedProcess, input: Buffer, waits: boolean): Promise<void> {
    try {
      const taken = input.length === 0 || waits ? 0 : await process.offerStdin(input);
      command.countStdin();
      if (taken < input.length && !waits) {
        void this.#feed(command, process, input.subarray(taken), true);
        return;
      }
      if (waits) await process.writeStdin(input);
      command.countStdin();
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
    if (this.#hasRoom()) return;
    const { running } = this.#store;
    const holders = [...running].map(({ id, record }) => ({
      commandId: id,
      sessionId: record.sessionId,
      command: record.command.slice(0, 100),
      startedAt: record.startedAt,
    }));
    throw new SandboxError(
      'capacity',
      `the commands that run are ${running.size}, the ceiling is ${this.#maxRunning}`,
      {
        hint: 'wait for one to end, kill one, or raise SVC_COMMAND_MAX_RUNNING',
        data: { holders },
      },
    );
  }
}
