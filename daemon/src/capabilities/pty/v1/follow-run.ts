import { waitFor } from '@sandbox/api/wait.ts';
import { incompleteTail } from '../../../core/output/text-slice.ts';
import type { ExecRun } from '../exec/exec-run.ts';
import { plainText } from '../exec/plain-text.ts';

const PIECE_BYTES = 64 * 1024;
/** Bytes of a line that are held back for its end. */
const LINE_BYTES = 1024 ** 2;
/** Milliseconds within which the offset of the first output is known. */
const BEGIN_MS = 1000;
const NEWLINE = 0x0a;

/**
 * The output of a command as text, from its begin until its end or until the signal fires: whole lines as they are
 * written, so that a line that is overwritten comes in its last form, and a last line without newline at the end.
 */
export async function* followRun(run: ExecRun, gone: AbortSignal): AsyncGenerator<string> {
  await waitFor(run.begun, { ms: BEGIN_MS, signal: gone });
  let at = run.console.start;
  let rest: Buffer = Buffer.alloc(0);
  while (!gone.aborted) {
    const ended = run.status !== 'running';
    const to = ended ? (run.console.end ?? at) : run.scanned;
    if (at >= to) {
      if (ended) break;
      await run.moreScanned(at, gone);
      continue;
    }
    const { offset, bytes } = await run.history.read(at, Math.min(PIECE_BYTES, to - at));
    // What was dropped may lie before `to`, and what is kept after it.
    const kept = bytes.subarray(0, Math.max(0, to - offset));
    at = bytes.length === 0 ? to : Math.min(offset + bytes.length, to);
    const all = Buffer.concat([rest, kept]);
    const cut = cutOf(all);
    rest = all.subarray(cut);
    if (cut > 0) yield plainText(all.toString('utf8', 0, cut));
  }
  if (rest.length > 0) yield plainText(rest.toString('utf8'));
}

/** Where the next piece ends: after the last newline, or within a line that is too long to be held back. */
function cutOf(bytes: Buffer): number {
  const lines = bytes.lastIndexOf(NEWLINE) + 1;
  if (lines > 0 || bytes.length < LINE_BYTES) return lines;
  return bytes.length - incompleteTail(bytes);
}
