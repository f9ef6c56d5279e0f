import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { workOnAnswer } from '../../../core/answers/answer-hold.ts';
import type { History } from '../session/history.ts';
import type { ConsoleRecord } from '../session/session-record.ts';
import { plainText } from './plain-text.ts';

/** Bytes of output that an answer carries; the end of longer output. */
const ANSWER_BYTES = 8 * 1024 * 1024;
/** The same while answers that clients have not read take too much memory. */
const CROWDED_BYTES = 4 * 1024;
const PIECE_BYTES = 256 * 1024;

/** As `outputBetween`, cut instead of refused: the command has begun, and a repeated call would begin it again. */
export async function outputSoFar(history: History, record: ConsoleRecord): Promise<string> {
  try {
    return await outputBetween(history, record);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const { from, to } = boundsOf(history, record, CROWDED_BYTES);
    return `[... the beginning is left out: ${error.message} ...]\n${await textBetween(history, from, to)}`;
  }
}

/** The output of a console record as text; the end of output that is longer than an answer may be. */
export async function outputBetween(history: History, record: ConsoleRecord): Promise<string> {
  const { from, to } = boundsOf(history, record, ANSWER_BYTES);
  using _work = workOnAnswer(Math.max(to - Math.max(from, history.first), 0));
  return await textBetween(history, from, to);
}

function boundsOf(history: History, { start, end }: ConsoleRecord, most: number): { from: number; to: number } {
  const to = Math.min(end ?? history.end, history.end);
  return { from: Math.max(start, to - most), to };
}

async function textBetween(history: History, from: number, to: number): Promise<string> {
  const parts: Buffer[] = [];
  for (let at = from; at < to; ) {
    const { offset, bytes } = await history.read(at, Math.min(PIECE_BYTES, to - at));
    if (bytes.length === 0 || offset >= to) break;
    parts.push(bytes.subarray(0, to - offset));
    at = offset + bytes.length;
  }
  return plainText(Buffer.concat(parts).toString('utf8'));
}
