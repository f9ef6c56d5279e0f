import { timeoutSignal } from '@sandbox/api/wait.ts';
import { workOnAnswer } from '../../../core/answers/answer-hold.ts';
import type { Command, CommandRecord } from '../run/command.ts';
import { ANSWER_BYTES } from './excerpt.ts';
import { endsOf, newBytes, type Offsets } from './follow.ts';
import { type OutputSlice, sliceOf } from './output-slice.ts';

export interface OutputRequest {
  readonly from: Offsets;
  /** Bytes of each stream. */
  readonly limit: number;
  readonly asText: boolean;
  /** Milliseconds to wait for a byte past either offset, or for the end of the command; 0: do not wait. */
  readonly waitMs: number;
}

export interface OutputReading {
  /** As it was before the streams were read: of a command that had ended, the streams are at their ends. */
  readonly record: CommandRecord;
  readonly stdout: OutputSlice;
  readonly stderr: OutputSlice;
}

/** Reads both streams by offset, and waits if the request says so and there is nothing yet. */
export async function readOutput(
  command: Command,
  { from, limit, asText, waitMs }: OutputRequest,
  gone: AbortSignal,
): Promise<OutputReading> {
  const { output } = command;
  const over = waitMs > 0 && command.isRunning ? endOfWait(command, waitMs, gone) : AbortSignal.abort();
  for (;;) {
    const isLast = over.aborted;
    const { record } = command;
    const ends = endsOf(output);
    using _work = workOnAnswer(sizeOf(ends, from, limit));
    const stdout = await sliceOf(output.stdout, from.stdout, limit, asText);
    const stderr = await sliceOf(output.stderr, from.stderr, limit, asText);
    const hasBytes = stdout.bytes.length + stderr.bytes.length > 0;
    const isBeyond = limit === 0 && (ends.stdout > from.stdout || ends.stderr > from.stderr);
    if (isLast || hasBytes || isBeyond) return { record, stdout, stderr };
    // What has come past the offsets is the beginning of a sequence: wait for more than that.
    await newBytes(output, laterOf(ends, from), over);
  }
}

/** Bytes of both streams that a read may find. */
function sizeOf(ends: Offsets, from: Offsets, limit: number): number {
  const most = Math.min(limit, ANSWER_BYTES);
  const left = (stream: keyof Offsets): number => Math.min(Math.max(ends[stream] - from[stream], 0), most);
  return left('stdout') + left('stderr');
}

/** Fires at the end of the command, when the time is over, or when the client is gone. */
function endOfWait({ ended }: Command, waitMs: number, gone: AbortSignal): AbortSignal {
  const finished = new AbortController();
  void ended.then(() => finished.abort());
  return AbortSignal.any([gone, timeoutSignal(waitMs), finished.signal]);
}

function laterOf(one: Offsets, other: Offsets): Offsets {
  return { stdout: Math.max(one.stdout, other.stdout), stderr: Math.max(one.stderr, other.stderr) };
}
