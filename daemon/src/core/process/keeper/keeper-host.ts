import { constants } from 'node:os';
import { waitFor } from '@sandbox/api/wait.ts';
import { type Identity, ownIdentity } from '../../account/identity.ts';
import type { Finding } from '../../finding.ts';
import type { Ends } from '../../output/output-log.ts';
import { discardAtEnd } from '../discard-at-end.ts';
import { countProcesses, signalProcesses } from '../find/signal-processes.ts';
import type {
  AdoptSpec,
  HostedProcess,
  ProcessHost,
  ProcessTarget,
  Recovered,
  Reservation,
  StartSpec,
} from '../process-host.ts';
import { resolveStart } from '../program.ts';
import { requireSignal } from '../signals.ts';
import { FrameFaults } from './frame-faults.ts';
import { KeeperHeld } from './held/keeper-held.ts';
import { type KeeperState, readState } from './held/keeper-state.ts';
import { type KeeperConnection, SILENT_HINT, SilentKeeper } from './keeper-connection.ts';
import { type Failed, readFailed, refuse } from './keeper-failure.ts';
import { KeeperForgets } from './keeper-forgets.ts';
import { EVENT, type FrameReader, FrameWriter, REQUEST } from './keeper-frames.ts';
import { endOutdated, joinKeeper, type KeeperPlace } from './keeper-launch.ts';
import { KeeperOutbox } from './keeper-outbox.ts';
import { KeeperReservations } from './keeper-reservations.ts';
import { KeeperStarts, startFrame } from './keeper-starts.ts';
import { OtherKeepers } from './recovery/keeper-elsewhere.ts';
import { KeeperFiles } from './recovery/keeper-files.ts';
import { type Figures, KeeperFigures } from './requests/keeper-figures.ts';
import { KeeperKills } from './requests/keeper-kills.ts';
import { KeeperRequests, unanswered } from './requests/keeper-requests.ts';

/** Milliseconds that a keeper may take to announce what it holds: starts under way have 5 s. */
const SYNC_MS = 15_000;
/** Milliseconds that a keeper may take to end with all it holds. */
const END_MS = 10_000;

/** The keeper (`docs/keeper.md`) starts and holds the processes, so that they outlive the daemon. */
export class KeeperHost implements ProcessHost {
  readonly name = 'keeper';
  readonly promises = { survivesDaemon: true, usage: true, limits: true, adopts: true } as const;
  readonly #place: KeeperPlace;
  readonly #files: KeeperFiles;
  readonly #faults: FrameFaults;
  readonly #own: Identity = ownIdentity();
  readonly #held: KeeperHeld;
  readonly #starts = new KeeperStarts();
  readonly #reservations = new KeeperReservations((hosted) => void this.#kill([targetOf(hosted)]));
  readonly #requests = new KeeperRequests();
  readonly #figures = new KeeperFigures();
  readonly #kills = new KeeperKills();
  #connection: Promise<KeeperConnection> | undefined;
  readonly #outbox = new KeeperOutbox();
  readonly #forgets = new KeeperForgets((frame) => this.#send(frame));
  #keeperPid: number | undefined;
  /** Starts that have failed for their callers, though the keeper may have carried them out. */
  readonly #unanswered: Pick<AdoptSpec, 'id' | 'identity'>[] = [];
  #synced = Promise.withResolvers<void>();
  #others: OtherKeepers | undefined;
  #disposed = false;

  private constructor(place: KeeperPlace) {
    this.#place = place;
    this.#files = new KeeperFiles(place.directory);
    this.#faults = new FrameFaults(place);
    this.#held = new KeeperHeld({
      files: this.#files,
      send: (frame) => this.#send(frame),
      forget: (id, discard) => this.#forgets.add(id, discard),
      check: async () => {
        if ((await this.figures()) === undefined) throw unanswered();
      },
      signalForeground: (id, signal) => this.#signalForeground(id, signal),
      memoryKill: async (id) => {
        const connection = this.#disposed ? undefined : await this.#connection?.catch(() => undefined);
        return connection && this.#kills.ask(connection, id);
      },
    });
  }

  /**
   * Joins the keeper of the directory, or starts one; resolves when the keeper has announced everything it holds.
   * @throws Error in one line if no keeper answers and none can be started
   */
  static async open(place: KeeperPlace): Promise<KeeperHost> {
    await endOutdated(place);
    const host = new KeeperHost(place);
    const connection = await host.#connect();
    if ((await waitFor(host.#synced.promise, { ms: SYNC_MS })) === 'timeout') {
      connection.close();
      throw new SilentKeeper(place.directory);
    }
    host.#others = await OtherKeepers.find(place);
    return host;
  }

  /** Pid of the keeper that was joined last. */
  get keeperPid(): number | undefined {
    return this.#keeperPid;
  }

  async start(spec: StartSpec): Promise<HostedProcess> {
    const { runner, program } = resolveStart(spec, this.#own);
    const frame = startFrame(spec, program, runner);
    const connection = await this.#readyConnection();
    this.#forgets.flush();
    return this.#starts.send(connection, frame, spec, program);
  }

  async reserve(forker: string, spec: AdoptSpec, limit: { readonly ms: number }): Promise<Reservation> {
    const connection = await this.#readyConnection();
    this.#forgets.flush();
    return this.#reservations.reserve(connection, forker, spec, limit);
  }

  async check(): Promise<Finding> {
    const name = 'process keeper';
    const figures = await this.figures();
    if (figures === undefined) return { name, ok: false, detail: 'it does not answer', hint: SILENT_HINT };
    return { name, ok: true, detail: `it holds ${figures.keeper_processes ?? 0} processes` };
  }

  figures(): Promise<Figures | undefined> {
    return this.#figures.ask(() => this.#joined());
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
    const pending = [...this.#starts.ids(), ...this.#reservations.ids()];
    return new Set([...this.#held.processes.keys(), ...pending, ...elsewhere, ...this.#files.ids()]);
  }

  recover(ends: ReadonlyMap<string, Ends>, owns: (id: string) => boolean = () => true): Recovered {
    return this.#files.recover({ held: this.#held.processes, elsewhere: this.#others?.processes }, ends, owns);
  }

  /** Ends the keeper with all it holds; a keeper that a supervisor started runs on. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#others?.[Symbol.dispose]();
    const connection = await this.#connection?.catch(() => undefined);
    if (connection === undefined) return;
    this.#forgets.flush();
    if (connection.welcome.supervised) connection.close();
    else connection.send(new FrameWriter(REQUEST.shutdown).u32(0));
    await waitFor(connection.closed(), { ms: END_MS });
    connection.close();
  }

  #connect(): Promise<KeeperConnection> {
    if (this.#disposed && this.#connection === undefined) return Promise.reject(new Error('the host was disposed'));
    this.#connection ??= joinKeeper(this.#place, {
      onFrame: (frame) => this.#onFrame(frame),
      onClose: () => this.#onClose(),
      onFault: (err) => this.#faults.note(err, this.#keeperPid),
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

  /** Joins the next keeper if this one has ended, also if its end is not reported yet. */
  async #openConnection(): Promise<KeeperConnection> {
    const connection = await this.#connect();
    if (connection.isOpen) return connection;
    await connection.closed();
    return this.#connect();
  }

  /** One that reads what is sent next. @throws SandboxError `unavailable` if none exists */
  async #readyConnection(): Promise<KeeperConnection> {
    const connection = await this.#openConnection().catch(refuse);
    await connection.ready().catch(refuse);
    return connection.isOpen ? connection : refuse(new Error('the process keeper ended'));
  }

  /** Undefined if there is no keeper: the daemon then looks for the processes itself. */
  #joined(): Promise<KeeperConnection | undefined> {
    return this.#openConnection().catch(() => undefined);
  }

  /** The keeper died, or it ended the connection: processes that it does not announce again are lost. */
  #onClose(): void {
    this.#connection = undefined;
    this.#synced = Promise.withResolvers();
    this.#unanswered.push(...this.#starts.failAll(), ...this.#reservations.failAll());
    this.#requests.answerAll();
    this.#kills.answerAll();
    this.#figures.answerAll();
    const { processes } = this.#held;
    if (this.#disposed) this.#held.lose(processes.values());
    else if (processes.size > 0 || this.#unanswered.length > 0) void this.#rejoin();
  }

  async #rejoin(): Promise<void> {
    const before = [...this.#held.processes.values()];
    const keeperBefore = this.#keeperPid;
    this.#held.anew();
    await this.#faults.pause();
    const connection = await this.#joined();
    // A connection that ends before that is followed by another attempt; a keeper that is silent is waited for.
    if (connection !== undefined && !(await this.#isSynced(connection))) return;
    const unanswered = this.#unanswered.splice(0);
    const lost = before.filter(({ id, complete }) => !complete && !this.#held.isAnnounced(id));
    // What was forked carries the mark of its forker.
    const forkers = new Set(lost.flatMap(({ forker = '' }) => (this.#held.isAnnounced(forker) ? [] : [forker])));
    forkers.delete('');
    const targets = [
      ...lost.map(({ id, pid }) => ({ id, pid, running: false })),
      ...Array.from(forkers, (id) => ({ id, pid: 0, running: false })),
      ...unanswered.map(({ id, identity }) => ({ id, pid: 0, running: false, ...(identity && { identity }) })),
    ];
    this.#held.lose(lost);
    for (const { id } of unanswered) {
      const hosted = this.#held.processes.get(id);
      if (hosted) discardAtEnd(hosted);
    }
    const ended = await this.#kill(targets);
    this.#place.report?.(
      { keeper: keeperBefore, joined: connection?.welcome.pid, lost: lost.length, processes: ended },
      'the process keeper ended; the processes that it held are lost and were killed',
    );
  }

  async #kill(targets: readonly ProcessTarget[]): Promise<number> {
    return this.signal(targets, 'SIGKILL').catch(() => 0);
  }

  async #isSynced(connection: KeeperConnection): Promise<boolean> {
    return Promise.race([this.#synced.promise.then(() => true), connection.closed().then(() => false)]);
  }

  async #signalForeground(id: string, signal: number): Promise<boolean> {
    return !this.#disposed && this.#requests.signalForeground(await this.#openConnection(), id, signal);
  }

  #onFrame(frame: FrameReader): void {
    if (frame.type === EVENT.state) this.#onState(readState(frame));
    else if (frame.type === EVENT.failed) this.#onFailed(readFailed(frame));
    else if (frame.type === EVENT.reserved) this.#reservations.accepted(frame.text());
    else if (frame.type === EVENT.signalled) this.#requests.answered(frame);
    else if (frame.type === EVENT.figures) this.#figures.answered(frame);
    else if (frame.type === EVENT.kills) this.#kills.answered(frame);
    else if (frame.type === EVENT.synced) this.#synced.resolve();
  }

  #onFailed(failed: Failed): void {
    if (!this.#reservations.failed(failed)) this.#starts.failed(failed);
  }

  /** The first state of a process that this daemon started answers its START. */
  #onState(state: KeeperState): void {
    const starting = this.#starts.started(state.id);
    const hosted = this.#held.apply(state);
    starting?.resolve(hosted);
    this.#reservations.adopted(hosted);
  }

  #send(frame: FrameWriter): void {
    if (this.#connection !== undefined) this.#outbox.send(this.#connection, frame);
  }
}

function targetOf({ id, pid }: HostedProcess): ProcessTarget {
  return { id, pid, running: true };
}
