import { waitFor } from '@sandbox/api/wait.ts';
import type { ByteLog, Slice } from '../../../core/output/byte-log.ts';
import type { OutputLog } from '../../../core/output/output-log.ts';
import { incompleteTail } from '../../../core/output/text-slice.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import type { Command, CommandRecord } from '../run/command.ts';

/** Bytes of one piece of a followed stream: larger ones are slower to encode. */
const PIECE_BYTES = 64 * 1024;
/** Bytes of one read, which are then handed out in pieces. */
const READ_BYTES = 256 * 1024;
/** Up to here a buffer of its own for each read costs less than keeping one. */
const SMALL_BYTES = 4 * 1024;

export type StreamName = 'stdout' | 'stderr';
const STREAMS = ['stdout', 'stderr'] as const;

/** An offset in each stream, in bytes. */
export interface Offsets {
  readonly stdout: number;
  readonly stderr: number;
}

interface StreamPiece {
  readonly type: 'bytes';
  readonly stream: StreamName;
  readonly offset: number;
  /** Valid until the next event is asked for. */
  readonly bytes: Buffer;
}

export interface FollowTerms {
  /** `text`: pieces do not split UTF-8 sequences, so that the rest of one is waited for. */
  readonly as: 'text' | 'bytes';
}

export type FollowEvent =
  | StreamPiece
  | { readonly type: 'dropped'; readonly stream: StreamName; readonly firstOffset: number }
  /** Nothing follows in that stream. A stream that another process still holds at the end of the command has no eof. */
  | { readonly type: 'eof'; readonly stream: StreamName; readonly offset: number }
  | { readonly type: 'exit'; readonly record: CommandRecord; readonly ends: Offsets };

/**
 * Everything both streams produce from the offsets on, in the order in which it arrived, and then how the command
 * ended; nothing more once the signal fires.
 */
export async function* follow(
  command: Pick<Command, 'output' | 'ended' | 'record'>,
  from: Offsets,
  gone: AbortSignal,
  { as }: FollowTerms = { as: 'text' },
): AsyncGenerator<FollowEvent> {
  const { output } = command;
  const readers = {
    stdout: new PieceReader(output.stdout, 'stdout', from.stdout, as),
    stderr: new PieceReader(output.stderr, 'stderr', from.stderr, as),
  };
  const open = new Set<StreamName>(STREAMS);
  const ended = new AbortController();
  void command.ended.then(() => ended.abort());
  const stop = AbortSignal.any([gone, ended.signal]);
  for (;;) {
    const isLast = ended.signal.aborted;
    const ends = endsOf(output);
    const over = STREAMS.filter((stream) => open.has(stream) && output[stream].sealed);
    for (const run of orderedRuns(output, readers, ends)) yield* readers[run.stream].upTo(run.end, gone);
    if (gone.aborted) return;
    for (const stream of over) {
      open.delete(stream);
      yield* readers[stream].finish();
    }
    if (isLast) break;
    const isUnchanged = STREAMS.every(
      (stream) => output[stream].end === ends[stream] && !(open.has(stream) && output[stream].sealed),
    );
    if (isUnchanged) await newBytes(output, ends, stop);
  }
  for (const stream of open) yield* readers[stream].flush();
  yield { type: 'exit', record: command.record, ends: endsOf(output) };
}

export function endsOf({ stdout, stderr }: OutputLog): Offsets {
  return { stdout: stdout.end, stderr: stderr.end };
}

/** Resolves when either stream has a byte past these offsets, or the signal fires. */
export async function newBytes(log: OutputLog, { stdout, stderr }: Offsets, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const waits = [
    ...(log.stdout.sealed ? [] : [log.stdout.advanced(stdout, settled.signal)]),
    ...(log.stderr.sealed ? [] : [log.stderr.advanced(stderr, settled.signal)]),
  ];
  await waitFor(Promise.race(waits), { signal });
  settled.abort();
}

function orderedRuns(
  log: OutputLog,
  { stdout, stderr }: Readonly<Record<StreamName, PieceReader>>,
  ends: Offsets,
): { stream: StreamName; end: number }[] {
  if (stderr.at >= ends.stderr) return [{ stream: 'stdout', end: ends.stdout }];
  if (stdout.at >= ends.stdout) return [{ stream: 'stderr', end: ends.stderr }];
  return log.runs(stdout.at, ends.stdout, stderr.at, ends.stderr);
}

/** Reads one stream in pieces; as text, holds back an incomplete UTF-8 sequence until the rest of it arrives. */
class PieceReader {
  readonly #log: ByteLog;
  readonly #stream: StreamName;
  readonly #isText: boolean;
  #at: number;
  #held: Buffer = Buffer.alloc(0);
  #buffer: Buffer | undefined;

  constructor(log: ByteLog, stream: StreamName, at: number, as: 'text' | 'bytes') {
    this.#log = log;
    this.#stream = stream;
    this.#at = at;
    this.#isText = as === 'text';
  }

  /** The offset that was read up to, bytes held back included. */
  get at(): number {
    return this.#at;
  }

  async *upTo(end: number, gone: AbortSignal): AsyncGenerator<FollowEvent> {
    while (this.#at < end && !gone.aborted) {
      const { offset, bytes } = await this.#read(end - this.#at);
      // Reads do not wait: without a turn a reader that keeps up would hold the event loop.
      if (isTurnSpent()) await yieldToEventLoop();
      if (offset > this.#at) yield* this.#skipTo(offset);
      if (bytes.length === 0) return;
      for (let cut = 0; cut < bytes.length && !gone.aborted; cut += PIECE_BYTES) {
        const piece = this.#pieceOf(bytes.subarray(cut, cut + PIECE_BYTES));
        if (piece) yield piece;
      }
    }
  }

  /** The bytes held back, once the rest of their sequence cannot come any more. */
  *flush(): Generator<FollowEvent> {
    if (this.#held.length === 0) return;
    const bytes = this.#held;
    this.#held = Buffer.alloc(0);
    yield { type: 'bytes', stream: this.#stream, offset: this.#at - bytes.length, bytes };
  }

  /** The end of the stream, up to which it was read. */
  *finish(): Generator<FollowEvent> {
    yield* this.flush();
    yield { type: 'eof', stream: this.#stream, offset: this.#log.end };
  }

  #read(bytes: number): Promise<Slice> {
    const wanted = Math.min(READ_BYTES, bytes);
    if (wanted <= SMALL_BYTES) return this.#log.read(this.#at, wanted);
    this.#buffer ??= Buffer.allocUnsafeSlow(READ_BYTES);
    return this.#log.read(this.#at, wanted, this.#buffer);
  }

  *#skipTo(offset: number): Generator<FollowEvent> {
    yield* this.flush();
    this.#at = offset;
    yield { type: 'dropped', stream: this.#stream, firstOffset: offset };
  }

  #pieceOf(bytes: Buffer): StreamPiece | undefined {
    const offset = this.#at - this.#held.length;
    this.#at += bytes.length;
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const whole = all.length - (this.#isText ? incompleteTail(all) : 0);
    this.#held = Buffer.from(all.subarray(whole));
    return whole > 0 ? { type: 'bytes', stream: this.#stream, offset, bytes: all.subarray(0, whole) } : undefined;
  }
}
