import { type NewOutput, REPORT_BYTES } from '../../../core/tools/output-progress.ts';
import type { Command } from '../run/command.ts';
import type { Offsets } from './follow.ts';
import { readOutput } from './read-output.ts';

/** Milliseconds that one look waits for a byte. */
const LOOK_MS = 60_000;

/** Looks at the output of a command since the last look, the first time from the offsets on. */
export function newOutputOf(command: Command, from: Offsets): (gone: AbortSignal) => Promise<NewOutput> {
  let at = from;
  return async (gone) => {
    const newest = (stream: keyof Offsets): number => Math.max(at[stream], command.output[stream].end - REPORT_BYTES);
    const begin = { stdout: newest('stdout'), stderr: newest('stderr') };
    const request = { from: begin, limit: REPORT_BYTES, asText: true, waitMs: LOOK_MS };
    const { stdout, stderr } = await readOutput(command, request, gone);
    const skipped = begin.stdout - at.stdout + begin.stderr - at.stderr;
    const isOver = !command.isRunning && stdout.bytes.length + stderr.bytes.length === 0;
    at = { stdout: stdout.next, stderr: stderr.next };
    return { text: stdout.bytes.toString() + stderr.bytes.toString(), skipped, isOver };
  };
}
