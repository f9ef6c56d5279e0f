import { onAbort } from '@sandbox/api/wait.ts';
import type { ByteLog } from '../../../core/output/byte-log.ts';
import type { OutputLog } from '../../../core/output/output-log.ts';
import type { OutputSink, StreamName } from '../runtime/output.ts';
import { afterLastMark, MARK_BYTES, MarkedText, markName } from './cell-mark.ts';

const PIECE_BYTES = 64 * 1024;
const STREAMS = ['stdout', 'stderr'] as const;

type Offsets = Readonly<Record<StreamName, number>>;
type Streams = Readonly<Record<StreamName, CellStream>>;

/** The two streams of an interpreter, which marks divide into the outputs of its cells. */
export class MarkedOutput {
  readonly #output: OutputLog;
  readonly #token: string;
  #from: Offsets = { stdout: 0, stderr: 0 };
  /** Switches between the streams up to `#from`, so that a cell does not read those of all cells before it. */
  #switches = 0;

  constructor(output: OutputLog, token: string) {
    this.#output = output;
    this.#token = token;
  }

  /** What was written since the last cell belongs to none. */
  skip(): void {
    this.#from = { stdout: this.#output.stdout.end, stderr: this.#output.stderr.end };
    this.#switches = this.#output.order.count;
  }

  /** Goes back to the end of the cell before this one, as far as it is kept; otherwise to the oldest byte. */
  async rewind(cellId: string): Promise<void> {
    const name = markName(this.#token, cellId);
    const [stdout, stderr] = await Promise.all(STREAMS.map((stream) => this.#beginOf(this.#output[stream], name)));
    this.#from = { stdout: stdout ?? 0, stderr: stderr ?? 0 };
    this.#switches = 0;
  }

  /**
   * Gives the sink what the cell writes, in the order of arrival, until both streams had its mark. Returns the exit
   * code of the mark; undefined if the signal fires or the process ends before both marks.
   */
  async copy(cellId: string, sink: OutputSink, signal: AbortSignal): Promise<number | undefined> {
    const mark = markName(this.#token, cellId);
    const streams = {
      stdout: new CellStream('stdout', this.#output.stdout, mark, this.#from.stdout),
      stderr: new CellStream('stderr', this.#output.stderr, mark, this.#from.stderr),
    };
    for (;;) {
      const buffer = BUFFERS.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
      await this.#drain(streams, sink, buffer);
      if (BUFFERS.length < BUFFERS_MAX) BUFFERS.push(buffer);
      const open = [streams.stdout, streams.stderr].filter((stream) => !stream.hasEnded);
      if (open.length === 0 || signal.aborted) break;
      await oneAdvanced(open, signal);
    }
    this.#from = { stdout: streams.stdout.at, stderr: streams.stderr.at };
    for (const stream of [streams.stdout, streams.stderr]) stream.flush(sink);
    return streams.stdout.code ?? streams.stderr.code;
  }

  async #drain({ stdout, stderr }: Streams, sink: OutputSink, buffer: Buffer): Promise<void> {
    const since = this.#switches;
    this.#switches = this.#output.order.count;
    const ends = { stdout: stdout.end, stderr: stderr.end };
    if (await oneIsSilent(stdout, stderr, buffer)) {
      for (const stream of [stdout, stderr]) await stream.readTo(stream.end, sink, buffer);
      return;
    }
    for (const run of this.#output.runs(stdout.at, ends.stdout, stderr.at, ends.stderr, since)) {
      await (run.stream === 'stdout' ? stdout : stderr).readTo(run.end, sink, buffer);
    }
  }

  async #beginOf(log: ByteLog, name: string): Promise<number> {
    let begin = log.first;
    // The end of the last read, since two reads may share a mark; a read ends at the latest with its segment.
    let tail: Buffer = Buffer.alloc(0);
    for (let at = log.first; at < log.end; ) {
      const { offset, bytes } = await log.read(at, PIECE_BYTES * 16);
      if (bytes.length === 0) break;
      const all = offset === at ? Buffer.concat([tail, bytes]) : bytes;
      at = offset + bytes.length;
      const after = afterLastMark(all, this.#token, name);
      if (after !== undefined) begin = at - all.length + after;
      tail = all.subarray(Math.max(0, all.length - MARK_BYTES));
    }
    return begin;
  }
}

/** Buffers for reading, which no cell holds while it waits. */
const BUFFERS: Buffer[] = [];
const BUFFERS_MAX = 4;

/** One stream while a cell runs. */
class CellStream {
  readonly #name: StreamName;
  readonly #log: ByteLog;
  readonly #text: MarkedText;
  #at: number;

  constructor(name: StreamName, log: ByteLog, mark: string, from: number) {
    this.#name = name;
    this.#log = log;
    this.#text = new MarkedText(mark);
    this.#at = from;
  }

  get at(): number {
    return this.#at;
  }

  get end(): number {
    return this.hasEnded ? this.#at : this.#log.end;
  }

  get news(): number {
    return this.end - this.#at;
  }

  get code(): number | undefined {
    return this.#text.code;
  }

  get hasEnded(): boolean {
    return this.#text.code !== undefined || (this.#log.sealed && this.#at >= this.#log.end);
  }

  whenAdvanced(handle: () => void): Disposable {
    return this.#log.whenAdvanced(this.#at, handle);
  }

  /** Whether the cell has written nothing more: at most its mark is there. */
  async isSilent(buffer: Buffer): Promise<boolean> {
    const { news } = this;
    if (news === 0) return true;
    if (news > MARK_BYTES) return false;
    const { offset, bytes } = await this.#log.read(this.#at, news, buffer);
    return offset === this.#at && bytes.length === news && this.#text.isMark(bytes);
  }

  async readTo(end: number, sink: OutputSink, buffer: Buffer): Promise<void> {
    while (this.#at < end && !this.hasEnded) {
      const { offset, bytes } = await this.#log.read(this.#at, Math.min(PIECE_BYTES, end - this.#at), buffer);
      if (offset > this.#at) this.#write(sink, `${this.#text.flush()}\n[${offset - this.#at} bytes were dropped]\n`);
      this.#at = offset + bytes.length;
      if (bytes.length === 0) break;
      this.#write(sink, this.#text.take(bytes));
      this.#at -= this.#text.rest;
    }
  }

  flush(sink: OutputSink): void {
    if (this.#text.code === undefined) this.#write(sink, this.#text.flush());
  }

  #write(sink: OutputSink, text: string): void {
    if (text !== '') sink.write({ type: 'stream', name: this.#name, text });
  }
}

/** Where it is true, the order in which the two streams were written does not matter. */
async function oneIsSilent(stdout: CellStream, stderr: CellStream, buffer: Buffer): Promise<boolean> {
  return (await stderr.isSilent(buffer)) || (await stdout.isSilent(buffer));
}

/** Resolves when one of the streams has more, or the signal fires. */
async function oneAdvanced(streams: readonly CellStream[], signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using waiting = new DisposableStack();
  waiting.use(onAbort(signal, resolve));
  for (const stream of streams) waiting.use(stream.whenAdvanced(resolve));
  await promise;
}
