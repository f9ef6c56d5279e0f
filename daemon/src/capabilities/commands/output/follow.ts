import type { ByteLog } from '../../../core/output/byte-log.ts';
import type { OutputLog } from '../../../core/output/output-log.ts';
import { incompleteTail } from '../../../core/output/text-slice.ts';

/** Bytes of one piece of a followed stream: larger ones are slower to encode. */
const PIECE_BYTES = 64 * 1024;
/** Bytes of one read, which are then handed out in pieces. */
const READ_BYTES = 256 * 1024;
/** Up to here a buffer of its own for each read costs less than keeping one. */
const SMALL_BYTES = 4 * 1024;

export interface Offsets {
  readonly stdout: number;
  readonly stderr: number;
}

export type FollowEvent =
  | { readonly type: 'bytes'; readonly stream: 'stdout' | 'stderr'; readonly offset: number; readonly bytes: Buffer }
  | { readonly type: 'dropped'; readonly stream: 'stdout' | 'stderr'; readonly firstOffset: number };

/**
 * Everything both streams produce from the offsets on, in the order in which it arrived, until `over` settles and
 * what had come by then is read, or the signal fires. Pieces do not split UTF-8 sequences; their bytes are valid until
 * the next one is asked for.
 */
export async function* follow(
  log: OutputLog,
  from: Offsets,
  over: Promise<void>,
  gone: AbortSignal,
): AsyncGenerator<FollowEvent> {
  const readers = {
    stdout: new PieceReader(log.stdout, 'stdout', from.stdout),
    stderr: new PieceReader(log.stderr, 'stderr', from.stderr),
  };
  const ended = new AbortController();
  void over.then(() => ended.abort());
  for (;;) {
    const isLast = ended.signal.aborted;
    const ends = { stdout: log.stdout.end, stderr: log.stderr.end };
    for (const run of await orderedRuns(log, readers, ends)) yield* readers[run.stream].upTo(run.end, gone);
    if (gone.aborted) return;
    if (isLast) {
      yield* readers.stdout.flush();
      yield* readers.stderr.flush();
      return;
    }
    if (log.stdout.end === ends.stdout && log.stderr.end === ends.stderr) {
      await somethingNew(log, ends, AbortSignal.any([gone, ended.signal]));
    }
  }
}

async function orderedRuns(
  log: OutputLog,
  { stdout, stderr }: Readonly<Record<'stdout' | 'stderr', PieceReader>>,
  ends: Offsets,
): Promise<{ stream: 'stdout' | 'stderr'; end: number }[]> {
  if (stderr.at >= ends.stderr) return [{ stream: 'stdout', end: ends.stdout }];
  if (stdout.at >= ends.stdout) return [{ stream: 'stderr', end: ends.stderr }];
  return await log.runs(stdout.at, ends.stdout, stderr.at, ends.stderr);
}

/** Resolves when either stream has something past these ends, or the signal fires. */
export async function somethingNew(log: OutputLog, { stdout, stderr }: Offsets, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const enough = new AbortController();
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  signal.addEventListener('abort', stop, { once: true });
  const open = ([log.stdout, log.stderr] as const).filter((stream) => !stream.sealed);
  await Promise.race([
    stopped.promise,
    ...open.map((stream) => stream.advanced(stream === log.stdout ? stdout : stderr, enough.signal)),
  ]);
  signal.removeEventListener('abort', stop);
  enough.abort();
}

/** Reads one stream in pieces and holds back a sequence whose end has not come yet. */
class PieceReader {
  readonly #log: ByteLog;
  readonly #stream: 'stdout' | 'stderr';
  #at: number;
  #held: Buffer = Buffer.alloc(0);
  #buffer: Buffer | undefined;

  constructor(log: ByteLog, stream: 'stdout' | 'stderr', at: number) {
    this.#log = log;
    this.#stream = stream;
    this.#at = at;
  }

  /** The offset that was read up to; bytes held back included. */
  get at(): number {
    return this.#at;
  }

  async *upTo(end: number, gone: AbortSignal): AsyncGenerator<FollowEvent> {
    while (this.#at < end && !gone.aborted) {
      const wanted = Math.min(READ_BYTES, end - this.#at);
      if (wanted > SMALL_BYTES) this.#buffer ??= Buffer.allocUnsafeSlow(READ_BYTES);
      const { offset, bytes } = await this.#log.read(this.#at, wanted, wanted > SMALL_BYTES ? this.#buffer : undefined);
      if (offset > this.#at) {
        yield* this.flush();
        yield { type: 'dropped', stream: this.#stream, firstOffset: offset };
        this.#at = offset;
      }
      if (bytes.length === 0) return;
      for (let cut = 0; cut < bytes.length && !gone.aborted; cut += PIECE_BYTES) {
        yield* this.#piece(bytes.subarray(cut, cut + PIECE_BYTES));
      }
    }
  }

  *#piece(bytes: Buffer): Generator<FollowEvent> {
    const offset = this.#at - this.#held.length;
    this.#at += bytes.length;
    const piece = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const whole = piece.length - incompleteTail(piece);
    this.#held = Buffer.from(piece.subarray(whole));
    if (whole > 0) yield { type: 'bytes', stream: this.#stream, offset, bytes: piece.subarray(0, whole) };
  }

  /** What was held back will not be completed any more. */
  *flush(): Generator<FollowEvent> {
    if (this.#held.length === 0) return;
    yield { type: 'bytes', stream: this.#stream, offset: this.#at - this.#held.length, bytes: this.#held };
    this.#held = Buffer.alloc(0);
  }
}
