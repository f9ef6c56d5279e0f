import type { ByteLog } from '../../../core/output/byte-log.ts';
import type { OutputLog } from '../../../core/output/output-log.ts';
import type { OutputSink, StreamName } from '../runtime/output.ts';
import { afterLastMark, MarkedText, markName } from './cell-mark.ts';

const PIECE_BYTES = 64 * 1024;
const STREAMS = ['stdout', 'stderr'] as const;

type Offsets = Readonly<Record<StreamName, number>>;

/** The two streams of an interpreter, which marks divide into the outputs of its cells. */
export class MarkedOutput {
  readonly #output: OutputLog;
  readonly #token: string;
  #from: Offsets = { stdout: 0, stderr: 0 };

  constructor(output: OutputLog, token: string) {
    this.#output = output;
    this.#token = token;
  }

  /** What was written since the last cell belongs to none. */
  skip(): void {
    this.#from = { stdout: this.#output.stdout.end, stderr: this.#output.stderr.end };
  }

  /** Goes back to the end of the cell before this one, as far as it is kept; otherwise to the oldest byte. */
  async rewind(cellId: string): Promise<void> {
    const name = markName(this.#token, cellId);
    const [stdout, stderr] = await Promise.all(STREAMS.map((stream) => this.#beginOf(this.#output[stream], name)));
    this.#from = { stdout: stdout ?? 0, stderr: stderr ?? 0 };
  }

  /**
   * Gives the sink what the cell writes, in the order of arrival, until both streams had its mark. Answers the exit
   * code of the mark; undefined where the signal fires or the process ends before both marks.
   */
  async copy(cellId: string, sink: OutputSink, signal: AbortSignal): Promise<number | undefined> {
    const streams = {
      stdout: new CellStream('stdout', this.#output.stdout, markName(this.#token, cellId), this.#from.stdout),
      stderr: new CellStream('stderr', this.#output.stderr, markName(this.#token, cellId), this.#from.stderr),
    };
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (;;) {
      await this.#drain(streams, sink, buffer);
      const open = [streams.stdout, streams.stderr].filter((stream) => !stream.hasEnded);
      if (open.length === 0 || signal.aborted) break;
      await oneAdvanced(open, signal);
    }
    this.#from = { stdout: streams.stdout.at, stderr: streams.stderr.at };
    for (const stream of [streams.stdout, streams.stderr]) stream.flush(sink);
    return streams.stdout.code ?? streams.stderr.code;
  }

  async #drain(streams: Record<StreamName, CellStream>, sink: OutputSink, buffer: Buffer): Promise<void> {
    const { stdout, stderr } = streams;
    if (stdout.news === 0 || stderr.news === 0) {
      for (const stream of [stdout, stderr]) await stream.readTo(stream.end, sink, buffer);
      return;
    }
    for (const { stream, end } of await this.#output.runs(stdout.at, stdout.end, stderr.at, stderr.end)) {
      await streams[stream].readTo(end, sink, buffer);
    }
  }

  async #beginOf(log: ByteLog, name: string): Promise<number> {
    let begin = log.first;
    for (let at = log.first; at < log.end; ) {
      // A mark that two reads share is found by the overlap.
      const { offset, bytes } = await log.read(at, PIECE_BYTES * 16);
      if (bytes.length === 0) break;
      const after = afterLastMark(bytes, this.#token, name);
      if (after !== undefined) begin = offset + after;
      at = offset + bytes.length < log.end ? offset + Math.max(1, bytes.length - 128) : log.end;
    }
    return begin;
  }
}

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

  advanced(signal: AbortSignal): Promise<void> {
    return this.#log.advanced(this.#at, signal);
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

/** Resolves when one of the streams has more, or the signal fires. */
async function oneAdvanced(streams: readonly CellStream[], signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  try {
    await Promise.race(streams.map((stream) => stream.advanced(either)));
  } finally {
    enough.abort();
  }
}
