import { constants } from 'node:os';
import { type Identity, ownIdentity } from '../../account/identity.ts';
import { SandboxError } from '../../errors.ts';
import type { Ends } from '../../output/output-log.ts';
import { discardAtEnd } from '../discard-at-end.ts';
import { countProcesses, signalProcesses } from '../find/signal-processes.ts';
import type { HostedProcess, ProcessHost, ProcessTarget, Recovered, StartSpec } from '../process-host.ts';
import { resolveStart } from '../program.ts';
import { requireSignal } from '../signals.ts';
import type { KeeperConnection } from './keeper-connection.ts';
import { OtherKeepers } from './keeper-elsewhere.ts';
import { KeeperFiles } from './keeper-files.ts';
import { EVENT, type FrameReader, FrameWriter, REQUEST, STDIN_KIND } from './keeper-frames.ts';
import { joinKeeper, type KeeperPlace } from './keeper-launch.ts';
import { KeeperOutbox } from './keeper-outbox.ts';
import { KeeperProcess } from './keeper-process.ts';
import { KeeperRequests } from './keeper-requests.ts';
import { KeeperStarts, startFrame } from './keeper-starts.ts';

/** How a process is given input. */
interface HeldInput {
  readonly credit: number | undefined;
  readonly onTerminal: boolean;
}

/** The keeper (`docs/keeper.md`) starts and holds the processes, so that they outlive the daemon. */
export class KeeperHost implements ProcessHost {
  readonly name = 'keeper';
  readonly promises = { survivesDaemon: true, usage: true } as const;
  readonly #place: KeeperPlace;
  readonly #files: KeeperFiles;
  readonly #own: Identity = ownIdentity();
  readonly #held = new Map<string, KeeperProcess>();
  readonly #starts = new KeeperStarts();
  readonly #requests = new KeeperRequests();
  #connection: Promise<KeeperConnection> | undefined;
  readonly #outbox = new KeeperOutbox();
  #keeperPid: number | undefined;
  /** Ids that the keeper has announced since it was joined. */
  readonly #announced = new Set<string>();
  #synced = Promise.withResolvers<void>();
  #others: OtherKeepers | undefined;
  #disposed = false;

  private constructor(place: KeeperPlace) {
    this.#place = place;
    this.#files = new KeeperFiles(place.directory);
  }

  /**
   * Joins the keeper of the directory, or starts one; resolves when the keeper has announced everything it holds.
   * @throws Error in one line where no keeper answers and none can be started
   */
  static async open(place: KeeperPlace): Promise<KeeperHost> {
    const host = new KeeperHost(place);
    await host.#connect();
    await host.#synced.promise;
    host.#others = await OtherKeepers.find(place.directory);
    return host;
  }

  /** Pid of the keeper that was joined last. */
  get keeperPid(): number | undefined {
    return this.#keeperPid;
  }

  async start(spec: StartSpec): Promise<HostedProcess> {
    const { runner, program } = resolveStart(spec, this.#own);
    const frame = startFrame(spec, program, runner);
    const connection = await this.#openConnection().catch(refuse);
    if (!connection.isOpen) refuse(new Error('the process keeper ended'));
    return this.#starts.send(connection, frame, spec, program);
  }

  async signal(targets: readonly ProcessTarget[], signal: string): Promise<number> {
    const name = requireSignal(signal);
    if (targets.length === 0 || this.#disposed) return 0;
    const connection = await this.#joined();
    if (connection === undefined) return signalProcesses(targets, name);
    return this.#requests.findAndSignal(connection, targets, constants.signals[name]);
  }

  async living(targets: readonly ProcessTarget[]): Promise<number> {
    if (targets.length === 0 || this.#disposed) return 0;
    const connection = await this.#joined();
    return connection === undefined ? countProcesses(targets) : this.#requests.findAndSignal(connection, targets, 0);
  }

  ids(): ReadonlySet<string> {
    const elsewhere = this.#others?.processes.keys() ?? [];
    return new Set([...this.#held.keys(), ...this.#starts.ids(), ...elsewhere, ...this.#files.ids()]);
  }

  recover(ends: ReadonlyMap<string, Ends>, owns: (id: string) => boolean = () => true): Recovered {
    return this.#files.recover({ held: this.#held, elsewhere: this.#others?.processes }, ends, owns);
  }

  /** Ends the keeper with all it holds; a keeper that a supervisor started runs on. */
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

  /** Joins the next keeper where this one has ended, also where its end is not reported yet. */
  async #openConnection(): Promise<KeeperConnection> {
    const connection = await this.#connect();
    if (connection.isOpen) return connection;
    await connection.closed();
    return this.#connect();
  }

  /** Undefined where there is no keeper: the daemon then looks for the processes itself. */
  #joined(): Promise<KeeperConnection | undefined> {
    return this.#openConnection().catch(() => undefined);
  }

  /** The keeper died, or it ended the connection: processes that it does not announce again are lost. */
  #onClose(): void {
    this.#connection = undefined;
    this.#synced = Promise.withResolvers();
    const unanswered = this.#starts.failAll();
    this.#requests.answerAll();
    if (this.#disposed) this.#lose([...this.#held.values()]);
    else if (this.#held.size > 0 || unanswered.length > 0) void this.#rejoin(unanswered);
  }

  /** `unanswered`: starts that have failed for their callers, though the keeper may have carried them out. */
  async #rejoin(unanswered: readonly StartSpec[]): Promise<void> {
    const before = [...this.#held.values()];
    const keeperBefore = this.#keeperPid;
    this.#announced.clear();
    const connection = await this.#joined();
    if (connection !== undefined) await this.#synced.promise;
    const lost = before.filter(({ id, complete }) => !complete && !this.#announced.has(id));
    const targets = [
      ...lost.map(({ id, pid }) => ({ id, pid, running: false })),
      ...unanswered.map(({ id, identity }) => ({ id, pid: 0, running: false, ...(identity && { identity }) })),
    ];
    this.#lose(lost);
    for (const { id } of unanswered) {
      const hosted = this.#held.get(id);
      if (hosted) discardAtEnd(hosted);
    }
    const ended = await this.signal(targets, 'SIGKILL').catch(() => 0);
    this.#place.report?.(
      { keeper: keeperBefore, joined: connection?.welcome.pid, lost: lost.length, processes: ended },
      'the process keeper ended; the processes that it held are lost and were killed',
    );
  }

  #lose(lost: readonly KeeperProcess[]): void {
    for (const hosted of lost) {
      this.#held.delete(hosted.id);
      hosted.lose();
    }
  }

  async #signalForeground(id: string, signal: number): Promise<boolean> {
    return !this.#disposed && this.#requests.signalForeground(await this.#openConnection(), id, signal);
  }

  #onFrame(frame: FrameReader): void {
    if (frame.type === EVENT.synced) this.#synced.resolve();
    else if (frame.type === EVENT.signalled) this.#requests.answered(frame);
    else this.#onFrameOf(frame.text(), frame);
  }

  #onFrameOf(id: string, frame: FrameReader): void {
    if (frame.type === EVENT.started) this.#onStarted(id, frame);
    else if (frame.type === EVENT.failed) this.#starts.failed(id, frame);
    else if (frame.type === EVENT.process) this.#onProcess(id, frame);
    else this.#held.get(id)?.handle(frame);
  }

  #onStarted(id: string, frame: FrameReader): void {
    const starting = this.#starts.started(id);
    const pid = frame.u32();
    const { stdin, terminal } = starting?.spec ?? {};
    const hosted = this.#track(id, pid, {
      credit: stdin === 'pipe' || terminal !== undefined ? frame.u32() : undefined,
      onTerminal: terminal !== undefined,
    });
    starting?.resolve(hosted);
  }

  /** A process that was started before this connection. */
  #onProcess(id: string, frame: FrameReader): void {
    const pid = frame.u32();
    const onTerminal = frame.u8() === STDIN_KIND.terminal;
    frame.flag();
    const credit = frame.flag() ? frame.u32() : undefined;
    this.#announced.add(id);
    const hosted = this.#held.get(id) ?? this.#track(id, pid, { credit, onTerminal });
    hosted.resume(credit === undefined ? undefined : { credit, taken: frame.u64() });
  }

  #track(id: string, pid: number, { credit, onTerminal }: HeldInput): KeeperProcess {
    const output = this.#files.logOf(id, onTerminal);
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

/** The start was not sent: the call may be repeated. */
function refuse(error: unknown): never {
  throw new SandboxError('unavailable', error instanceof Error ? error.message : String(error), {
    hint: 'the process keeper has to run for commands to be started; sandboxd doctor says what is missing',
    cause: error,
  });
}
