import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { workOnAnswer } from '../../../core/answers/answer-hold.ts';
import type { ByteLog } from '../../../core/output/byte-log.ts';
import { JSON_GROWTH_MAX, jsonBeginning, jsonBytes, jsonEnd } from '../../../core/output/json-size.ts';
import type { OutputLog } from '../../../core/output/output-log.ts';
import { continuationHead, incompleteTail } from '../../../core/output/text-slice.ts';
import type { Offsets } from './follow.ts';

/** The most bytes of one stream in a JSON answer, as they are and as JSON writes their text. */
export const ANSWER_BYTES = 8 * 1024 ** 2;

/** Bytes of each stream while answers that clients have not read take too much memory. */
const CROWDED_BYTES = 4 * 1024;

export interface Excerpt {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams, in the order in which they arrived. */
  readonly output: string;
  /** Bytes are missing: beyond the limit, or dropped before. */
  readonly truncated: boolean;
  /** Where the streams ended when they were read. */
  readonly ends: Offsets;
}

interface Piece {
  readonly start: number;
  readonly bytes: Buffer;
}

/** Pieces of one stream in order, with a gap wherever bytes are missing. */
interface StreamExcerpt {
  readonly pieces: readonly Piece[];
  readonly end: number;
}

/**
 * The beginning and the end of both streams, as they are now, with a note of the bytes missing between them.
 * @param maxBytes of each stream; 0: 8 MiB. Its text takes at most 8 MiB in JSON
 */
export async function excerptOf(log: OutputLog, maxBytes: number): Promise<Excerpt> {
  const wanted = maxBytes === 0 ? ANSWER_BYTES : Math.min(maxBytes, ANSWER_BYTES);
  using reserved = reserveFor(log, wanted);
  const limit = reserved === undefined ? Math.min(wanted, CROWDED_BYTES) : wanted;
  const stdout = await excerptOfStream(log.stdout, limit);
  const stderr = await excerptOfStream(log.stderr, limit);
  const stdoutText = textOf(stdout);
  const stderrText = textOf(stderr);
  return {
    stdout: stdoutText,
    stderr: stderrText,
    output: stderr.end === 0 ? stdoutText : stdout.end === 0 ? stderrText : merge(log, stdout, stderr),
    truncated: hasGaps(stdout) || hasGaps(stderr),
    ends: { stdout: stdout.end, stderr: stderr.end },
  };
}

/**
 * Memory for the texts of an answer: the streams, and both in one. Undefined if other answers take too much: the command
 * has run, so that its answer is cut instead of refused.
 */
function reserveFor({ stdout, stderr }: OutputLog, limit: number): Disposable | undefined {
  const bytes = [stdout, stderr].reduce((sum, { first, end }) => sum + Math.min(end - first, limit), 0);
  try {
    return workOnAnswer(2 * bytes);
  } catch (error) {
    if (error instanceof SandboxError) return undefined;
    throw error;
  }
}

async function excerptOfStream(log: ByteLog, limit: number): Promise<StreamExcerpt> {
  const { end, first } = log;
  const half = Math.floor(limit / 2);
  const pieces =
    end - first <= limit
      ? await readPieces(log, first, end)
      : both(await readPieces(log, first, first + half), await readPieces(log, end - (limit - half), end));
  if (fits(pieces, ANSWER_BYTES)) return { pieces, end };
  return { pieces: both(beginningOf(pieces, ANSWER_BYTES / 2), endOf(pieces, ANSWER_BYTES / 2)), end };
}

/** A beginning and an end, which may have been cut within a UTF-8 sequence. */
function both(head: readonly Piece[], tail: readonly Piece[]): Piece[] {
  return [...withoutCutEnd(head), ...withoutCutStart(tail)];
}

/** Whether the pieces take at most `most` bytes in JSON. */
function fits(pieces: readonly Piece[], most: number): boolean {
  if (lengthOf(pieces) * JSON_GROWTH_MAX <= most) return true;
  return pieces.reduce((sum, { bytes }) => sum + jsonBytes(bytes), 0) <= most;
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** The longest beginning that takes at most `most` bytes in JSON. */
function beginningOf(pieces: readonly Piece[], most: number): Piece[] {
  const kept: Piece[] = [];
  let left = most;
  for (const { start, bytes } of pieces) {
    const beginning = jsonBeginning(bytes, left);
    kept.push({ start, bytes: beginning });
    if (beginning.length < bytes.length) break;
    left -= jsonBytes(bytes);
  }
  return kept;
}

/** The longest end that takes at most `most` bytes in JSON. */
function endOf(pieces: readonly Piece[], most: number): Piece[] {
  const kept: Piece[] = [];
  let left = most;
  for (const { start, bytes } of pieces.toReversed()) {
    const end = jsonEnd(bytes, left);
    kept.unshift({ start: start + bytes.length - end.length, bytes: end });
    if (end.length < bytes.length) break;
    left -= jsonBytes(bytes);
  }
  return kept;
}

async function readPieces(log: ByteLog, from: number, to: number): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (let at = from; at < to; ) {
    const { offset, bytes } = await log.read(at, to - at);
    if (bytes.length === 0 || offset >= to) break;
    const kept = bytes.subarray(0, to - offset);
    pieces.push({ start: offset, bytes: kept });
    at = offset + kept.length;
  }
  return pieces;
}

function withoutCutEnd(pieces: readonly Piece[]): Piece[] {
  const last = pieces.at(-1);
  if (!last) return [];
  return [
    ...pieces.slice(0, -1),
    { start: last.start, bytes: last.bytes.subarray(0, last.bytes.length - incompleteTail(last.bytes)) },
  ];
}

function withoutCutStart(pieces: readonly Piece[]): Piece[] {
  const [head, ...rest] = pieces;
  if (!head) return [];
  const cut = continuationHead(head.bytes);
  return [{ start: head.start + cut, bytes: head.bytes.subarray(cut) }, ...rest];
}

function hasGaps({ pieces, end }: StreamExcerpt): boolean {
  return lengthOf(pieces) < end;
}

function textOf(stream: StreamExcerpt): string {
  const writer = new StreamText(stream);
  return writer.upTo(stream.end) + writer.rest();
}

function merge(log: OutputLog, stdout: StreamExcerpt, stderr: StreamExcerpt): string {
  const writers = { stdout: new StreamText(stdout), stderr: new StreamText(stderr) };
  const runs = log.runs(0, stdout.end, 0, stderr.end);
  const parts = runs.map(({ stream, end }) => writers[stream].upTo(end));
  return parts.join('') + writers.stdout.rest() + writers.stderr.rest();
}

/** Decodes a stream's pieces step by step. A UTF-8 sequence that the other stream interrupts stays whole. */
class StreamText {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #pieces: readonly Piece[];
  readonly #end: number;
  #index = 0;
  #at = 0;

  constructor({ pieces, end }: StreamExcerpt) {
    this.#pieces = pieces;
    this.#end = end;
  }

  /** The text from the end of the last call up to `end`, with a note for each gap. */
  upTo(end: number): string {
    let text = '';
    while (this.#at < end) {
      const piece = this.#pieces[this.#index];
      if (piece === undefined || piece.start > this.#at) {
        text += this.#leaveOut(piece?.start ?? this.#end);
        continue;
      }
      const to = Math.min(piece.bytes.length, end - piece.start);
      text += this.#decoder.decode(piece.bytes.subarray(this.#at - piece.start, to), { stream: true });
      this.#at = piece.start + to;
      if (to === piece.bytes.length) this.#index += 1;
    }
    return text;
  }

  rest(): string {
    return this.#decoder.decode();
  }

  #leaveOut(next: number): string {
    const bytes = next - this.#at;
    this.#at = next;
    return `${this.rest()}\n[... ${bytes} bytes left out ...]\n`;
  }
}
