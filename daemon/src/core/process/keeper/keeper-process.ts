import { constants } from 'node:os';
import type { ByteLog } from '../../output/byte-log.ts';
import type { OutputLog } from '../../output/output-log.ts';
import type { HostedProcess, HostedTerminal, ProcessEnd } from '../process-host.ts';
import { ProcessStdin } from '../process-stdin.ts';
import { signalName } from '../signals.ts';
import { EVENT, type FrameReader, FrameWriter, REQUEST } from './keeper-frames.ts';
import { KeeperStdin, type StdinState } from './keeper-stdin.ts';

export interface Held {
  readonly pid: number;
  readonly output: OutputLog;
  /** Bytes that may be sent to its stdin; undefined where it has none, or it was closed. */
  readonly credit: number | undefined;
  readonly send: (frame: FrameWriter) => void;
  /** Called when it may be `complete`. */
  readonly onChange: (hosted: KeeperProcess) => void;
  /** Only where it runs on a terminal. */
  readonly signalForeground: ((signal: number) => Promise<boolean>) | undefined;
}

/** A process that the keeper holds, in the state that the keeper has announced. */
export class KeeperProcess implements HostedProcess {
  readonly id: string;
  readonly pid: number;
  readonly output: OutputLog;
  readonly ended: Promise<ProcessEnd>;
  readonly terminal: HostedTerminal | undefined;
  readonly #send: (frame: FrameWriter) => void;
  readonly #onChange: (hosted: KeeperProcess) => void;
  readonly #settle: (end: ProcessEnd) => void;
  readonly #source: KeeperStdin | undefined;
  readonly #stdin: ProcessStdin;
  #hasEnded = false;
  #exitAcknowledged = false;
  #discarded = false;

  constructor({ pid, output, credit, send, onChange, signalForeground }: Held) {
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.id = output.id;
    this.pid = pid;
    this.output = output;
    this.ended = promise;
    this.#settle = resolve;
    this.#send = send;
    this.#onChange = onChange;
    this.#source = credit === undefined ? undefined : new KeeperStdin(this.id, credit, send);
    this.#stdin = new ProcessStdin(this.#source, signalForeground !== undefined);
    this.terminal = signalForeground && {
      resize: ({ cols, rows }) => send(new FrameWriter(REQUEST.resize).text(this.id).u16(cols).u16(rows)),
      signalForeground: (signal) => signalForeground(constants.signals[signal]),
    };
  }

  writeStdin(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    return this.#stdin.write(bytes, signal);
  }

  endStdin(): Promise<void> {
    return this.#stdin.end();
  }

  acknowledgeExit(): void {
    this.#exitAcknowledged = true;
    if (!this.#discarded) this.#send(new FrameWriter(REQUEST.forget).text(this.id).flag(this.output.stdout.removed));
    this.#onChange(this);
  }

  /** Neither an announcement nor a request about it is left. */
  get complete(): boolean {
    return this.#exitAcknowledged && this.#hasEnded && this.output.stdout.sealed && this.output.stderr.sealed;
  }

  /** A frame about this process, read past its id. */
  handle(frame: FrameReader): void {
    if (frame.type === EVENT.exit) this.#exited(frame);
    else if (frame.type === EVENT.credit) this.#source?.grant(frame.u32());
    else if (frame.type === EVENT.stdinClosed) this.#source?.close();
    else if (frame.type === EVENT.order) this.output.order.advance(frame.u64());
    else this.#handleStream(frame);
    this.#onChange(this);
  }

  /** The keeper was joined again, and announces everything once more. */
  resume(stdin: StdinState | undefined): void {
    if (stdin === undefined) this.#source?.close();
    else this.#source?.resume(stdin);
  }

  /** The keeper has ended, so that the end of the process stays unknown. */
  lose(): void {
    if (!this.#hasEnded) this.#end({ exitCode: null, signal: null, background: false, usage: null, lost: true });
    this.output.seal();
  }

  #handleStream(frame: FrameReader): void {
    const log = frame.u8() === 1 ? this.output.stderr : this.output.stdout;
    if (log.removed) this.#discard();
    if (frame.type === EVENT.segment) this.#begin(log, frame.u64());
    else if (frame.type === EVENT.advance) log.advance(frame.u64());
    else if (frame.type === EVENT.skip) log.skip(frame.u64());
    else if (frame.type === EVENT.dropped) log.dropBefore(frame.u64());
    else if (frame.type === EVENT.eof) log.seal();
  }

  #begin(log: ByteLog, start: number): void {
    if (log.removed) log.skip(start);
    else log.begin(start);
  }

  /** The log was removed: the keeper does not have to keep output either. */
  #discard(): void {
    if (this.#discarded) return;
    this.#discarded = true;
    this.#send(new FrameWriter(REQUEST.forget).text(this.id).flag(true));
    this.output.seal();
  }

  #exited(frame: FrameReader): void {
    const bySignal = frame.flag();
    const value = frame.u32();
    const [cpuUserMs, cpuSystemMs] = [frame.u64() / 1000, frame.u64() / 1000];
    const maxRssBytes = frame.u64();
    const oom = frame.u8();
    const usage = { cpuUserMs, cpuSystemMs, maxRssBytes, oomKilled: oom === 2 ? null : oom === 1 };
    const background = frame.flag();
    const endedAt = new Date(frame.u64());
    const how = bySignal ? { exitCode: null, signal: signalName(value) } : { exitCode: value, signal: null };
    this.#end({ ...how, background, usage }, endedAt);
  }

  #end(end: Omit<ProcessEnd, 'endedAt'>, endedAt: Date = new Date()): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stdin.close();
    this.#settle({ ...end, endedAt });
  }
}
