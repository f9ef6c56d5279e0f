import { isUtf8 } from 'node:buffer';
import { turnForLargeWork } from '@sandbox/api/large-work.ts';
import { workOnAnswer } from '../../../core/answers/answer-hold.ts';
import { notText, overCap } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import type { Entry } from '../../../core/files/place/held-directory.ts';
import { JSON_GROWTH_MAX, jsonBeginning, jsonBytes } from '../../../core/output/json-size.ts';
import { continuationHead, incompleteTail } from '../../../core/output/text-slice.ts';
import { etagOf } from '../etag.ts';
import { OpenFile } from './open-file.ts';

/** Bytes of a file in one answer. */
export const READ_BYTES_MAX = 16 * 1024 ** 2;

/** Bytes that the text of a file takes in a JSON answer: control characters take six each. */
const JSON_BYTES_MAX = 2 * READ_BYTES_MAX;

/** Bytes that are reserved for a file of /proc, which has the size 0. */
const UNSIZED_BYTES = 64 * 1024;

/** Bytes of text from which the work on it takes milliseconds, so that it waits for a turn of the event loop. */
const SLOW_BYTES = 1024 ** 2;

const NEWLINE = 0x0a;

export interface LineRange {
  /** First line, counted from 0. */
  readonly startLine?: number | undefined;
  /** The line after the last one. */
  readonly endLine?: number | undefined;
}

export interface ByteRange {
  readonly offset: number;
  readonly length?: number | undefined;
}

export interface TextRead {
  readonly content: string;
  /** Lines of the whole file. */
  readonly lineCount: number;
  readonly etag: string;
}

export interface BytesRead {
  readonly bytes: Buffer;
  readonly size: number;
  readonly etag: string;
}

/**
 * A text file, or some of its lines, joined without the newline after the last one.
 * @param entry where the file was found; a link that took its name is not followed
 * @throws FileFailure `too_large` over 16 MiB, `decode_error` if it is not UTF-8
 */
export async function readText(
  path: FilePath,
  { startLine, endLine }: LineRange,
  entry?: Pick<Entry, 'at'>,
): Promise<TextRead> {
  using file = await OpenFile.open(path, 'read', entry);
  using _work = workOnAnswer(Math.min(file.size || UNSIZED_BYTES, READ_BYTES_MAX));
  const bytes = await file.readWhole(READ_BYTES_MAX);
  if (bytes === undefined) throw overCap(tooLarge(path), 'read', shownPath(path), DOWNLOAD_HINT);
  if (bytes.length > SLOW_BYTES) await turnForLargeWork();
  if (!isUtf8(bytes)) throw notText('read', shownPath(path));
  const slice = startLine === undefined && endLine === undefined ? bytes : linesOf(bytes, startLine ?? 0, endLine);
  return { content: slice.toString('utf8'), lineCount: countLines(bytes), etag: etagOf(file.stats) };
}

/**
 * Bytes of a file of any length.
 * @throws FileFailure `too_large` if more than 16 MiB are asked for
 */
export async function readBytes(path: FilePath, { offset, length }: ByteRange): Promise<BytesRead> {
  using file = await OpenFile.open(path, 'read');
  const wanted = length ?? Math.max(0, file.size - offset);
  if (Math.min(wanted, Math.max(0, file.size - offset)) > READ_BYTES_MAX) {
    throw overCap(tooLarge(path), 'read', shownPath(path), `${DOWNLOAD_HINT}, or ask for fewer bytes with length`);
  }
  using _work = workOnAnswer(file.size === 0 ? UNSIZED_BYTES : Math.min(wanted, READ_BYTES_MAX));
  const bytes = file.size === 0 ? await unsized(file, path, offset, wanted || READ_BYTES_MAX) : undefined;
  const read = bytes ?? (await file.read(offset, Math.min(wanted, READ_BYTES_MAX)));
  return { bytes: read, size: file.size, etag: etagOf(file.stats) };
}

/**
 * A text file, or some of its lines, for an answer.
 * @throws FileFailure as `readText`; `too_large` if the text takes over 32 MiB in JSON
 */
export async function readForAnswer(path: FilePath, range: LineRange): Promise<TextRead> {
  const read = await readText(path, range);
  if (read.content.length > JSON_BYTES_MAX / JSON_GROWTH_MAX && jsonBytes(Buffer.from(read.content)) > JSON_BYTES_MAX) {
    const message = `the text takes over ${JSON_BYTES_MAX} bytes in JSON: ${shownPath(path)}`;
    throw overCap(message, 'read', shownPath(path), DOWNLOAD_HINT);
  }
  return read;
}

/**
 * Bytes as text, as many as take at most 32 MiB in JSON; UTF-8 sequences that are cut off at either end are left out.
 * @throws FileFailure `decode_error` if they are not UTF-8
 */
export function textOf(bytes: Buffer, path: FilePath): { text: string; skipped: number } {
  const skipped = continuationHead(bytes);
  const rest = jsonBeginning(bytes.subarray(skipped), JSON_BYTES_MAX);
  const whole = rest.subarray(0, rest.length - incompleteTail(rest));
  if (!isUtf8(whole)) throw notText('read', shownPath(path));
  return { text: whole.toString('utf8'), skipped };
}

async function unsized(file: OpenFile, path: FilePath, offset: number, length: number): Promise<Buffer> {
  const bytes = await file.readWhole(READ_BYTES_MAX);
  if (bytes === undefined) throw overCap(tooLarge(path), 'read', shownPath(path), DOWNLOAD_HINT);
  return bytes.subarray(offset, offset + length);
}

const DOWNLOAD_HINT = 'download the file';

function tooLarge(path: FilePath): string {
  return `the file is over ${READ_BYTES_MAX} bytes: ${shownPath(path)}`;
}

function linesOf(bytes: Buffer, startLine: number, endLine = Number.POSITIVE_INFINITY): Buffer {
  const start = lineOffset(bytes, 0, Math.max(0, startLine));
  if (endLine <= Math.max(0, startLine)) return bytes.subarray(0, 0);
  const end = lineOffset(bytes, start, endLine - Math.max(0, startLine));
  return bytes.subarray(start, end > start && bytes[end - 1] === NEWLINE ? end - 1 : end);
}

/** Offset of the line `count` lines after the one at `from`; the end where there are fewer. */
function lineOffset(bytes: Buffer, from: number, count: number): number {
  if (count === Number.POSITIVE_INFINITY) return bytes.length;
  let at = from;
  for (let left = count; left > 0 && at < bytes.length; at += 1) if (bytes[at] === NEWLINE) left -= 1;
  return at;
}

/** Counts a last line without newline too. A search for each newline takes 30 times as long if lines are empty. */
function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) count += 1;
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? count + 1 : count;
}
