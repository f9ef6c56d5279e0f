import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Core } from '../../core/core.ts';
import { HelperPlaces } from '../../core/files/helper-places.ts';
import type { Finding } from '../../core/finding.ts';
import type { BeforeChange } from '../../core/ports/before-change-port.ts';
import { probeProcess } from '../../core/process/probe-process.ts';
import { reportOutput } from '../../core/tools/output-progress.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import { Attachment, type AttachTerms } from './attach/attachment.ts';
import { StdinClaims } from './attach/stdin-claims.ts';
import { type Excerpt, excerptOf } from './output/excerpt.ts';
import { type FollowEvent, type FollowTerms, follow, type Offsets } from './output/follow.ts';
import { newOutputOf } from './output/new-output.ts';
import { type RawRange, type RawRequest, rawRange } from './output/raw-bytes.ts';
import { type OutputReading, type OutputRequest, readOutput } from './output/read-output.ts';
import type { Command, CommandRecord, CommandStatus } from './run/command.ts';
import { endCommands } from './run/command-end.ts';
import { noteSignalled } from './run/command-events.ts';
import { CommandStarter, START_PATIENCE_MS, type StartRequest } from './run/command-starter.ts';
import { type OfferTerms, offerStdin, type StdinTerms, type StdinWritten, writeStdin } from './run/command-stdin.ts';
import type { Launcher } from './run/launcher.ts';
import { environmentSetBy, sourceCommand } from './run/source-script.ts';
import { SessionService, type SessionView } from './session-service.ts';
import { SharedShell } from './shell/shared-shell.ts';
import type { CommandFilter, CommandStore } from './store/command-store.ts';

export interface RunRequest extends StartRequest {
  /** Seconds that the call waits for the end of the command; undefined: until it ends. */
  readonly wait: number | undefined;
}

/** A command as it was at one moment, and an excerpt of its output, read after that. */
export interface CommandReport {
  readonly record: CommandRecord;
  readonly excerpt: Excerpt;
}

/** A command as it was after its start, and its output from the first byte on. */
export interface FollowedCommand {
  readonly record: CommandRecord;
  /** Settles when it is not pending any more; never rejects. */
  readonly started: Promise<void>;
  readonly follow: (gone: AbortSignal) => AsyncGenerator<FollowEvent>;
}

interface CommandTerms {
  /** Commands that run at once. */
  readonly maxRunning: number;
  /** Ends with the service. */
  readonly guard: Disposable | undefined;
  /** What happens before each command. */
  readonly before?: BeforeChange;
}

/** Runs commands and keeps their output. Every method throws SandboxError `not_found` for an unknown id. */
export class CommandService implements AsyncDisposable {
  readonly sessions: SessionService;
  readonly shell: SharedShell;
  readonly #core: Core;
  readonly #guard: Disposable | undefined;
  readonly #store: CommandStore;
  readonly #launcher: Launcher;
  readonly #starter: CommandStarter;
  readonly #places: HelperPlaces;
  readonly #claims = new StdinClaims();
  readonly #attachments = new Set<Attachment>();

  constructor(core: Core, store: CommandStore, launcher: Launcher, { maxRunning, guard, before }: CommandTerms) {
    this.sessions = new SessionService(core, store, launcher);
    this.#core = core;
    this.#guard = guard;
    this.#store = store;
    this.#launcher = launcher;
    this.#starter = new CommandStarter(core, store, launcher, maxRunning, before);
    this.#places = new HelperPlaces('cwd', core.runtime.path);
    this.#places.clear();
    this.shell = new SharedShell(this.#starter, launcher, this.#places);
  }

  /**
   * Runs a command, waits for its end as the request says, or until the client is gone, and reads its output.
   * @param excerptBytes of each stream; 0: 8 MiB
   * @throws SandboxError `invalid` naming the field, `not_found` (session), `conflict` (idempotency key), `capacity`
   */
  async run(request: RunRequest, excerptBytes: number, gone: AbortSignal): Promise<CommandReport> {
    const { wait } = request;
    const begun = performance.now();
    const patienceMs = Math.min((wait || Number.POSITIVE_INFINITY) * 1000, START_PATIENCE_MS);
    const command = await this.#starter.start(request, patienceMs, gone);
    if (wait !== 0 && command.record.status !== 'pending') {
      const ms = wait === undefined ? undefined : Math.max(0, wait * 1000 - (performance.now() - begun));
      await waitFor(command.ended, { ms, signal: gone });
    }
    // Retention may have dropped the command by now: the store is not asked again.
    return reportOf(command, excerptBytes);
  }

  /** As `run`, without a wait for the end: the caller follows the output, and the command continues without it. */
  async runFollowed(request: RunRequest, left?: AbortSignal): Promise<FollowedCommand> {
    const command = await this.#starter.start(request, START_PATIENCE_MS, left);
    const begin = { stdout: 0, stderr: 0 };
    const { record, started } = command;
    return { record, started, follow: (gone) => this.#follow(command, begin, gone) };
  }

  /**
   * The session of that id; a new one has what the script sets: its variables and functions.
   * @throws SandboxError as `SessionService.ensure`, and `invalid` if the script cannot be sourced in time
   */
  async ensureSession(
    { id, cwd }: { readonly id: string | undefined; readonly cwd: string | undefined },
    script: string,
    gone: AbortSignal,
  ): Promise<SessionView> {
    if (id !== undefined && this.#store.sessions.find(id)) return this.sessions.ensure({ id, cwd });
    const command = await this.#starter.start(
      { ...sourceCommand(script), cwd, openStdin: false },
      START_PATIENCE_MS,
      gone,
    );
    await waitFor(command.ended, { signal: gone });
    return this.sessions.ensure({ id, cwd, env: await environmentSetBy(command, script) });
  }

  /** The beginning and the end of both streams. @param maxBytes of each stream; 0: 8 MiB */
  async excerpt(id: string, maxBytes: number): Promise<CommandReport> {
    return reportOf(this.#store.get(id), maxBytes);
  }

  /** Waits until the command has ended, the milliseconds are over, or the client is gone. */
  async waitForEnd(id: string, ms: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + ms;
    await waitFor(this.#store.get(id).started, { ms, signal });
    await waitFor(this.#store.get(id).ended, { ms: Math.max(0, until - performance.now()), signal });
  }

  /** Both streams from offsets on, after a wait if the request says so. */
  async read(id: string, request: OutputRequest, gone: AbortSignal): Promise<OutputReading> {
    if (request.waitMs > 0) await waitFor(this.#store.get(id).started, { ms: request.waitMs, signal: gone });
    return readOutput(this.#store.get(id), request, gone);
  }

  /** Reports output from the offsets on to the client of a tool, until the answer is disposed. */
  report(id: string, from: Offsets, context: ToolContext): Disposable {
    return reportOutput(context, newOutputOf(this.#store.get(id), from));
  }

  /** Both streams from the offsets on, piece by piece until the end of the command. */
  follow(id: string, from: Offsets, gone: AbortSignal, terms?: FollowTerms): AsyncGenerator<FollowEvent> {
    return this.#follow(this.#store.get(id), from, gone, terms);
  }

  async *#follow(command: Command, from: Offsets, gone: AbortSignal, terms?: FollowTerms): AsyncGenerator<FollowEvent> {
    await waitFor(command.started, { signal: gone });
    yield* follow(this.#store.find(command.id) ?? command, from, gone, terms);
  }

  find(id: string): CommandRecord | undefined {
    return this.#store.find(id)?.record;
  }

  /** Clients that are attached to commands. */
  get attached(): number {
    return this.#attachments.size;
  }

  /**
   * A place at the streams of a command, which the caller disposes when its client has left.
   * @throws SandboxError `conflict` if the client is to write and another one does
   */
  attach(id: string, terms: AttachTerms): Attachment {
    const command = this.#store.get(id);
    const claim = terms.write ? this.#claims.own(id) : undefined;
    const started = command.started.then(() => this.#store.find(id) ?? command);
    const attachment = new Attachment(started, terms, () => {
      claim?.[Symbol.dispose]();
      this.#attachments.delete(attachment);
    });
    this.#attachments.add(attachment);
    return attachment;
  }

  /** The bytes of one stream, up to its end at this moment or to the first gap. */
  raw(id: string, request: RawRequest): RawRange {
    return rawRange(this.#store.get(id).output, request);
  }

  /** Newest first. @throws SandboxError `not_found` if the command is unknown before which they are to be */
  list(filter: CommandFilter): CommandRecord[] {
    return this.#store.list(filter).map(({ record }) => record);
  }

  /**
   * The named command of the session, else the newest; undefined if the session has none.
   * @throws SandboxError `not_found` if the session does not exist, or the command is not one of it
   */
  newestOf(sessionId: string, commandId?: string): CommandRecord | undefined {
    this.#store.sessions.get(sessionId);
    if (commandId === undefined) return this.#store.ofSession(sessionId).at(-1)?.record;
    const { record } = this.#store.get(commandId);
    if (record.sessionId === sessionId) return record;
    throw new SandboxError('not_found', `session ${sessionId} has no command with id ${commandId}`);
  }

  /** As `newestOf`. @throws SandboxError `not_found` also if the session has no command */
  requireNewestOf(sessionId: string, commandId?: string): CommandRecord {
    const record = this.newestOf(sessionId, commandId);
    if (record) return record;
    throw new SandboxError('not_found', `session ${sessionId} has run no command`);
  }

  /**
   * Writes the chunks to stdin, at the pace of the command; answers how many bytes, which the process host holds.
   * @throws SandboxError `conflict` if the command has ended or has no pipe, or an attached client writes
   */
  async writeStdin(id: string, chunks: AsyncIterable<Uint8Array>, terms: StdinTerms): Promise<StdinWritten> {
    const command = this.#store.get(id);
    using _call = this.#claims.share(id);
    return await writeStdin(command, chunks, terms);
  }

  /**
   * Writes to stdin what the process host can hold now.
   * @param offset of the first byte in the whole of stdin: bytes that were written before are skipped
   * @throws SandboxError `conflict` as `writeStdin`, and for a gap before the offset; `capacity` if nothing fits
   */
  async offerStdin(id: string, bytes: Uint8Array, terms: OfferTerms): Promise<StdinWritten> {
    const command = this.#store.get(id);
    using _call = this.#claims.share(id);
    return await offerStdin(command, bytes, terms);
  }

  /** Signals all processes of the command, also those that it left behind; answers how many, and its status then. */
  async kill(id: string, signal: string): Promise<{ readonly processes: number; readonly status: CommandStatus }> {
    const command = this.#store.get(id);
    const { target } = command;
    noteSignalled(this.#core, command.record, signal);
    const signalled = target ? this.#core.processes.signal([target], signal) : Promise.resolve(0);
    if (command.record.status === 'pending') signalled.catch(ignore);
    const processes = command.record.status === 'pending' ? 0 : await signalled;
    return { processes, status: command.record.status };
  }

  /** Runs a real command. */
  async probe(): Promise<Finding> {
    const id = randomUUID();
    try {
      const spec = this.#launcher.prepare(id, { command: 'printf ready', shell: 'auto', stdin: 'null' }, undefined);
      const exitCode = await probeProcess(this.#core.processes, spec);
      return { name: 'commands', ok: exitCode === 0, detail: `a command ended with ${exitCode}` };
    } catch (error) {
      return { name: 'commands', ok: false, detail: String(error), hint: 'sandboxd doctor says what is missing' };
    }
  }

  /** Ends all commands: SIGTERM, SIGKILL after the grace of the configuration. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#guard?.[Symbol.dispose]();
    await this.#starter[Symbol.asyncDispose]();
    await endCommands(this.#core, this.#store.all(), this.#core.config.stopGraceSeconds * 1000);
    this.#store[Symbol.dispose]();
    this.#places[Symbol.dispose]();
  }
}

async function reportOf({ record, output }: Command, maxBytes: number): Promise<CommandReport> {
  return { record, excerpt: await excerptOf(output, maxBytes) };
}
