import type { Command } from '../run/command.ts';
import { type Offsets, somethingNew } from './follow.ts';
import { type OutputSlice, sliceOf } from './output-slice.ts';

export interface OutputRequest {
  readonly from: Offsets;
  /** Bytes of each stream. */
  readonly limit: number;
  readonly asText: boolean;
  /** Milliseconds to wait for something past either offset, or for the end; 0: do not wait. */
  readonly waitMs: number;
}

/** Reads both streams by offset, and waits where that is asked for and there is nothing yet. */
export async function readOutput(
  { output, ended, isRunning }: Command,
  { from, limit, asText, waitMs }: OutputRequest,
  gone?: AbortSignal,
): Promise<{ stdout: OutputSlice; stderr: OutputSlice }> {
  const over = AbortSignal.any([...(gone ? [gone] : []), AbortSignal.timeout(waitMs)]);
  const read = async () => ({
    stdout: await sliceOf(output.stdout, from.stdout, limit, asText),
    stderr: await sliceOf(output.stderr, from.stderr, limit, asText),
  });
  if (waitMs === 0 || !isRunning) return read();
  const finished = new AbortController();
  void ended.then(() => finished.abort());
  const stop = AbortSignal.any([over, finished.signal]);
  for (;;) {
    const isLast = stop.aborted;
    const slices = await read();
    const moved = slices.stdout.bytes.length + slices.stderr.bytes.length > 0;
    const isThere = limit === 0 && (output.stdout.end > from.stdout || output.stderr.end > from.stderr);
    if (moved || isThere || isLast) return slices;
    await somethingNew(output, past(output.stdout.end, output.stderr.end, from), stop);
  }
}

/** What has come is the beginning of a sequence at best: wait for more than that. */
function past(stdout: number, stderr: number, from: Offsets): Offsets {
  return { stdout: Math.max(stdout, from.stdout), stderr: Math.max(stderr, from.stderr) };
}
