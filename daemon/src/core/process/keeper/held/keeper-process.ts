import { constants } from 'node:os';
import type { ByteLog } from '../../../output/byte-log.ts';
import type { OutputLog } from '../../../output/output-log.ts';
import type { HostedProcess, HostedTerminal, MemoryKill, ProcessEnd } from '../../process-host.ts';
import { ProcessStdin } from '../../stdin/process-stdin.ts';
import { StdinOwner } from '../../stdin/stdin-owner.ts';
import type { HostCheck } from '../../stdin/stdin-pipe.ts';
import { FrameWriter, REQUEST, STREAM } from '../keeper-frames.ts';
import type { KeeperState, SegmentState, StreamState } from './keeper-state.ts';
import { KeeperStdin } from './keeper-stdin.ts';

export interface Held {
  readonly pid: number;
  readonly output: OutputLog;
  /** It was given a pipe or a terminal. */
  readonly hasStdin: boolean;
  /** The id of the process that forked it and handed it over. */
  readonly forker: string | undefined;
  readonly record: string | undefined;
  readonly send: (frame: FrameWriter) => void;
  /** FORGET; with `discard`, its output is not kept either. */
  readonly forget: (id: string, discard: boolean) => void;
  readonly check: HostCheck;
  /** Called when it may be `complete`. */
  readonly onChange: (hosted: KeeperProcess) => void;
  readonly memoryKill: () => Promise<MemoryKill | undefined>;
  /** Only if it runs on a terminal. */
  readonly signalForeground: ((signal: number) => Promise<boolean>) | undefined;
}

/** A process that the keeper holds, in the state that the keeper has announced. */
export class KeeperProcess extends StdinOwner implements HostedProcess {
  readonly id: string;
  readonly pid: number;
  readonly output: OutputLog;
  readonly ended: Promise<ProcessEnd>;
  readonly terminal: HostedTerminal | undefined;
  readonly record: string | undefined;
  readonly forker: string | undefined;
  readonly memoryKill: () => Promise<MemoryKill | undefined>;
  readonly #forget: Held['forget'];
  readonly #onChange: (hosted: KeeperProcess) => void;
  readonly #settle: (end: ProcessEnd) => void;
  readonly #source: KeeperStdin | undefined;
  protected readonly stdin: ProcessStdin;
  #hasEnded = false;
  #exitAcknowledged = false;
  #discarded = false;

  constructor(held: Held) {
    super();
    const { pid, output, hasStdin, forker, record, send, forget, check, onChange, signalForeground } = held;
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.id = output.id;
    this.pid = pid;
    this.output = output;
    this.record = record;
    this.forker = forker;
    this.ended = promise;
    this.memoryKill = held.memoryKill;
    this.#settle = resolve;
    this.#forget = forget;
    this.#onChange = onChange;
    this.#source = hasStdin ? new KeeperStdin(this.id, send) : undefined;
    this.stdin = new ProcessStdin(this.#source, signalForeground !== undefined, check);
    output.reportTrims((log) => {
      const number = log === output.stderr ? STREAM.stderr : signalForeground ? STREAM.terminal : STREAM.stdout;
      send(new FrameWriter(REQUEST.trim).text(this.id).u8(number).u64(log.first));
    });
    this.terminal = signalForeground && {
      resize: ({ cols, rows }) => send(new FrameWriter(REQUEST.resize).text(this.id).u16(cols).u16(rows)),
      signalForeground: (signal) => signalForeground(constants.signals[signal]),
    };
  }

  acknowledgeExit(): void {
    this.#exitAcknowledged = true;
    if (!this.#discarded) this.#forget(this.id, this.output.stdout.removed);
    this.#onChange(this);
  }

  /** Neither an announcement nor a request about it is left. */
  get complete(): boolean {
    return this.#exitAcknowledged && this.#hasEnded && this.output.stdout.sealed && this.output.stderr.sealed;
  }

  /** A STATE; `isFirst`: on this connection, so that bytes that an earlier one has lost are sent again. */
  apply(state: KeeperState, isFirst: boolean): void {
    this.#source?.apply(state.input, isFirst);
    for (const stream of state.streams) this.#applyStream(stream);
    this.output.order.advance(state.orderEntries);
    if (state.end) this.#end(state.end);
    this.#onChange(this);
  }

  /** The keeper has ended, so that the end of the process stays unknown. */
  lose(): void {
    this.#end({ exitCode: null, signal: null, background: false, usage: null, lost: true, endedAt: new Date() });
    this.output.seal();
  }

  #applyStream({ isStderr, eof, first, end, segments }: StreamState): void {
    const log = isStderr ? this.output.stderr : this.output.stdout;
    if (log.removed) this.#discard();
    else for (const segment of segments) store(log, segment);
    log.dropBefore(first);
    log.skip(end);
    if (eof) log.seal();
  }

  /** The log was removed: the keeper does not have to keep output either. */
  #discard(): void {
    if (this.#discarded) return;
    this.#discarded = true;
    this.#forget(this.id, true);
    this.output.seal();
  }

  #end(end: ProcessEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.stdin.close();
    this.#settle(end);
  }
}

function store(log: ByteLog, { start, end }: SegmentState): void {
  log.begin(start);
  log.advance(end);
}
