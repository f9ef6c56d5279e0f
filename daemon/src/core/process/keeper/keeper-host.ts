import { constants } from 'node:os';
import { join } from 'node:path';
import { type Identity, ownIdentity } from '../../account/identity.ts';
import { SandboxError } from '../../errors.ts';
import { segmentBytesOf } from '../../output/byte-log-writer.ts';
import { type Ends, findOutputLogs, OutputLog } from '../../output/output-log.ts';
import { listOutputFiles } from '../../output/segment-files.ts';
import { countProcesses, signalProcesses } from '../find/signal-processes.ts';
import {
  type HostedProcess,
  type ProcessHost,
  type ProcessTarget,
  type Recovered,
  StartFailure,
  type StartSpec,
} from '../process-host.ts';
import { requireDirectory, resolveProgram } from '../program.ts';
import { runnerOf } from '../runner.ts';
import { normalizeSignal } from '../signals.ts';
import { startFailure } from '../start-failure.ts';
import { endedIds, endedProcess } from './ended-files.ts';
import type { KeeperConnection } from './keeper-connection.ts';
import { OtherKeepers } from './keeper-elsewhere.ts';
import { keeperFailure } from './keeper-failure.ts';
import { EVENT, type FrameReader, FrameWriter, MAX_FRAME_BYTES, REQUEST, STDIN_KIND } from './keeper-frames.ts';
import { joinKeeper, type KeeperPlace } from './keeper-launch.ts';
import { KeeperOutbox } from './keeper-outbox.ts';
import { KeeperProcess } from './keeper-process.ts';

const MAX_TARGETS = 4096;

/** How a process is given input. */
interface HeldInput {
  readonly credit: number | undefined;
  readonly onTerminal: boolean;
}

interface Starting {
  readonly spec: StartSpec;
  readonly program: string;
  readonly resolve: (hosted: HostedProcess) => void;
  readonly reject: (failure: StartFailure) => void;
}

/** Has processes started and held by the keeper (`docs/keeper.md`), so that they outlive this one. */
export class KeeperHost implements ProcessHost {
  readonly name = 'keeper';
  readonly promises = { survivesDaemon: true, usage: true } as const;
  readonly #place: KeeperPlace;
  readonly #output: string;
  readonly #ended: string;
  readonly #own: Identity = ownIdentity();
  readonly #held = new Map<string, KeeperProcess>();
  readonly #starting = new Map<string, Starting>();
  readonly #counts = new Map<number, (count: number) => void>();
  #connection: Promise<KeeperConnection> | undefined;
  readonly #outbox = new KeeperOutbox();
  #keeperPid: number | undefined;
  /** Whom the keeper has told of since it was joined. */
  readonly #told = new Set<string>();
  #synced = Promise.withResolvers<void>();
  #others: OtherKeepers | undefined;
  #requests = 0;
  #disposed = false;

  private constructor(place: KeeperPlace) {
    this.#place = place;
    this.#output = join(place.directory, 'output');
    this.#ended = join(place.directory, 'ended');
  }

  /**
   * Joins the keeper of the directory, or starts one, and hears of everything it holds.
   * @throws Error in one line where that cannot be
   */
  static async open(place: KeeperPlace): Promise<KeeperHost> {
    const host = new KeeperHost(place);
    await host.#connect();
    await host.#synced.promise;
    host.#others = await OtherKeepers.find(place.directory);
    return host;
  }

  /** Of the keeper that was joined last. */
  get keeperPid(): number | undefined {
    return this.#keeperPid;
  }

  async start(spec: StartSpec): Promise<HostedProcess> {
    const runner = runnerOf(spec.identity, this.#own);
    requireDirectory(spec.cwd, runner);
    const program = resolveProgram(spec.file, spec.env['PATH'], spec.cwd, runner);
    const frame = startFrame(spec, program, runner);
    const connection = await this.#connect().catch(refuse);
    if (!connection.isOpen) refuse(new Error('the process keeper ended'));
    const { promise, resolve, reject } = Promise.withResolvers<HostedProcess>();
    this.#starting.set(spec.id, { spec, program, resolve, reject });
    connection.send(frame);
    return promise;
  }

  async signal(targets: readonly ProcessTarget[], signal: string): Promise<number> {
    const name = normalizeSignal(signal);
    if (name === undefined) throw new SandboxError('invalid', `unknown signal: ${signal}`);
    if (targets.length === 0 || this.#disposed) return 0;
    const connection = await this.#joined();
    if (connection === undefined) return signalProcesses(targets, name);
    return this.#hunt(connection, targets, constants.signals[name]);
  }

  async living(targets: readonly ProcessTarget[]): Promise<number> {
    if (targets.length === 0 || this.#disposed) return 0;
    const connection = await this.#joined();
    return connection === undefined ? countProcesses(targets) : this.#hunt(connection, targets, 0);
  }

  ids(): ReadonlySet<string> {
    const kept = listOutputFiles(this.#output).map(({ id }) => id);
    const others = this.#others?.processes.keys() ?? [];
    return new Set([...this.#held.keys(), ...this.#starting.keys(), ...endedIds(this.#ended), ...others, ...kept]);
  }

  recover(ends: ReadonlyMap<string, Ends>, owns: (id: string) => boolean = () => true): Recovered {
    const outputs = findOutputLogs(this.#output, ends, owns);
    const processes = new Map<string, HostedProcess>([...this.#held].filter(([id]) => owns(id)));
    // Of a keeper that died: how what it held had ended before.
    for (const id of endedIds(this.#ended).filter(owns)) {
      if (processes.has(id)) continue;
      const ended = endedProcess(this.#ended, outputs.get(id) ?? new OutputLog(this.#output, id));
      if (ended !== undefined) processes.set(id, ended);
    }
    for (const [id, held] of this.#others?.processes ?? []) if (!processes.has(id)) processes.set(id, held);
    for (const [id, { output }] of processes) outputs.set(id, output);
    for (const [id, log] of outputs) {
      if (ends.has(id) || processes.has(id)) continue;
      void log.remove();
      outputs.delete(id);
    }
    return { outputs, processes };
  }

  /** Ends the keeper with all it holds; one that somebody else started is left alone. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#others?.[Symbol.dispose]();
    const connection = await this.#connection?.catch(() => undefined);
    if (connection === undefined) return;
    if (connection.welcome.supervised) connection.close();
    else connection.send(new FrameWriter(REQUEST.shutdown).u32(0));
    await connection.closed();
  }

  #connect(): Promise<KeeperConnection> {
    if (this.#disposed && this.#connection === undefined) return Promise.reject(new Error('the host was disposed'));
    this.#connection ??= joinKeeper(this.#place, {
      onFrame: (frame) => this.#onFrame(frame),
      onClose: () => this.#onClose(),
    }).then(
      (connection) => {
        this.#keeperPid = connection.welcome.pid;
        this.#outbox.opened(connection);
        return connection;
      },
      (error: unknown) => {
        this.#connection = undefined;
        throw error;
      },
    );
    return this.#connection;
  }

  /** Undefined where there is no keeper: what it would be asked is done without it then. */
  #joined(): Promise<KeeperConnection | undefined> {
    return this.#connect().catch(() => undefined);
  }

  /** The keeper died, or it ended the connection: what it does not hold any more when it is asked again is lost. */
  #onClose(): void {
    this.#connection = undefined;
    this.#synced = Promise.withResolvers();
    const unanswered = [...this.#starting.values()];
    for (const { reject } of unanswered) reject(new StartFailure('the process keeper ended', 126));
    for (const answer of this.#counts.values()) answer(0);
    this.#starting.clear();
    this.#counts.clear();
    if (this.#disposed) this.#lose([...this.#held.values()]);
    else if (this.#held.size > 0 || unanswered.length > 0) void this.#rejoin(unanswered.map(({ spec }) => spec));
  }

  /** `unanswered`: what it may have started without saying so; nobody waits for it any more. */
  async #rejoin(unanswered: readonly StartSpec[]): Promise<void> {
    const before = [...this.#held.values()];
    const keeperBefore = this.#keeperPid;
    this.#told.clear();
    const connection = await this.#joined();
    if (connection !== undefined) await this.#synced.promise;
    const lost = before.filter(({ id, complete }) => !complete && !this.#told.has(id));
    const targets = [
      ...lost.map(({ id, pid }) => ({ id, pid, running: false })),
      ...unanswered.map(({ id, identity }) => ({ id, pid: 0, running: false, ...(identity && { identity }) })),
    ];
    this.#lose(lost);
    for (const { id } of unanswered) this.#abandon(id);
    const ended = await this.signal(targets, 'SIGKILL').catch(() => 0);
    this.#place.report?.(
      { keeper: keeperBefore, joined: connection?.welcome.pid, lost: lost.length, processes: ended },
      'the process keeper went away; what it held is lost, what was left of it was ended',
    );
  }

  #abandon(id: string): void {
    const hosted = this.#held.get(id);
    void hosted?.ended.then(() => hosted.output.remove()).then(() => hosted.acknowledgeExit());
  }

  #lose(lost: readonly KeeperProcess[]): void {
    for (const hosted of lost) {
      this.#held.delete(hosted.id);
      hosted.lose();
    }
  }

  async #hunt(connection: KeeperConnection, targets: readonly ProcessTarget[], signal: number): Promise<number> {
    let sum = 0;
    for (let at = 0; at < targets.length; at += MAX_TARGETS) {
      const some = targets.slice(at, at + MAX_TARGETS);
      sum += await this.#count(connection, (request) => signalFrame(request, signal, some));
    }
    return sum;
  }

  async #signalForeground(id: string, signal: number): Promise<boolean> {
    const frame = (request: number): FrameWriter =>
      new FrameWriter(REQUEST.foreground).u32(request).u32(signal).text(id);
    return !this.#disposed && (await this.#count(await this.#connect(), frame)) > 0;
  }

  /** Sends what is answered with a number; 0 where the keeper ends before. */
  async #count(connection: KeeperConnection, frame: (request: number) => FrameWriter): Promise<number> {
    if (!connection.isOpen) return 0;
    const request = ++this.#requests % 0x1_0000_0000;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#counts.set(request, resolve);
    connection.send(frame(request));
    return promise;
  }

  #onFrame(frame: FrameReader): void {
    if (frame.type === EVENT.synced) this.#synced.resolve();
    else if (frame.type === EVENT.signalled) this.#onSignalled(frame);
    else this.#onFrameOf(frame.text(), frame);
  }

  #onFrameOf(id: string, frame: FrameReader): void {
    if (frame.type === EVENT.started) this.#onStarted(id, frame);
    else if (frame.type === EVENT.failed) this.#onFailed(id, frame);
    else if (frame.type === EVENT.process) this.#onProcess(id, frame);
    else this.#held.get(id)?.tell(frame);
  }

  #onSignalled(frame: FrameReader): void {
    const request = frame.u32();
    this.#counts.get(request)?.(frame.u32());
    this.#counts.delete(request);
  }

  #onStarted(id: string, frame: FrameReader): void {
    const starting = this.#starting.get(id);
    this.#starting.delete(id);
    const pid = frame.u32();
    const { stdin, terminal } = starting?.spec ?? {};
    const hosted = this.#hold(id, pid, {
      credit: stdin === 'pipe' || terminal !== undefined ? frame.u32() : undefined,
      onTerminal: terminal !== undefined,
    });
    starting?.resolve(hosted);
  }

  #onFailed(id: string, frame: FrameReader): void {
    const starting = this.#starting.get(id);
    this.#starting.delete(id);
    starting?.reject(keeperFailure(frame.u8(), frame.u32(), starting.program, starting.spec.cwd));
  }

  /** It was there before this connection was. */
  #onProcess(id: string, frame: FrameReader): void {
    const pid = frame.u32();
    const onTerminal = frame.u8() === STDIN_KIND.terminal;
    frame.flag();
    const credit = frame.flag() ? frame.u32() : undefined;
    this.#told.add(id);
    const hosted = this.#held.get(id) ?? this.#hold(id, pid, { credit, onTerminal });
    hosted.resume(credit === undefined ? undefined : { credit, taken: frame.u64() });
  }

  #hold(id: string, pid: number, { credit, onTerminal }: HeldInput): KeeperProcess {
    const output = new OutputLog(this.#output, id, onTerminal ? 'terminal' : 'pipes');
    const send = (frame: FrameWriter): void => {
      if (this.#connection !== undefined) this.#outbox.send(this.#connection, frame);
    };
    const onChange = ({ complete }: KeeperProcess): void => {
      if (complete) this.#held.delete(id);
    };
    const signalForeground = onTerminal ? (signal: number) => this.#signalForeground(id, signal) : undefined;
    const hosted = new KeeperProcess({ pid, output, credit, send, onChange, signalForeground });
    this.#held.set(id, hosted);
    return hosted;
  }
}

/** Nothing was begun: the call may be repeated. */
function refuse(error: unknown): never {
  throw new SandboxError('unavailable', error instanceof Error ? error.message : String(error), {
    hint: 'the process keeper has to run for commands to be started; sandboxd doctor says what is missing',
    cause: error,
  });
}

function startFrame(spec: StartSpec, program: string, runner: Identity | undefined): FrameWriter {
  const { id, file, args, env, cwd, stdin, terminal, script, outputMaxBytes } = spec;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  if ([file, cwd, ...args, ...variables].some((text) => text.includes('\0'))) {
    throw startFailure(Object.assign(new Error(), { code: 'ERR_INVALID_ARG_VALUE' }), program, runner);
  }
  const frame = new FrameWriter(REQUEST.start)
    .text(id)
    .u8(STDIN_KIND[terminal ? 'terminal' : stdin])
    .u16(terminal?.cols ?? 0)
    .u16(terminal?.rows ?? 0)
    .u64(outputMaxBytes)
    .u32(segmentBytesOf(outputMaxBytes))
    .account(runner)
    .text(cwd)
    .text(program)
    .texts([file, ...args])
    .texts(variables)
    .flag(script !== undefined);
  if (script !== undefined) frame.text(script);
  if (frame.length <= MAX_FRAME_BYTES) return frame;
  throw startFailure(Object.assign(new Error(), { code: 'E2BIG' }), program, undefined);
}

function signalFrame(request: number, signal: number, targets: readonly ProcessTarget[]): FrameWriter {
  const frame = new FrameWriter(REQUEST.signal).u32(request).u32(signal).u32(targets.length);
  for (const { id, pid, running, identity } of targets) {
    frame.text(id).u32(pid).flag(running).account(identity);
  }
  return frame;
}
