import { open } from 'node:fs/promises';
import { errnoName } from '../../../core/errno-name.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { seqOf } from '../store/event-line.ts';
import type { Segment } from '../store/segments.ts';
import type { TimelineEvent } from './event-filter.ts';

/**
 * The events of a segment with a number above `after`, in their order. Of a segment that was removed in between, none.
 * @param offset of the beginning of a line; lines before it are not read
 */
export async function readSegment({ path, bytes }: Segment, after: number, offset = 0): Promise<TimelineEvent[]> {
  const text = await textOf(path, offset, bytes - offset);
  const events: TimelineEvent[] = [];
  for (const line of text.split('\n')) {
    const event = seqOf(line) > after ? parsed(line) : undefined;
    if (event !== undefined) events.push(event);
    if (isTurnSpent()) await yieldToEventLoop();
  }
  return events;
}

async function textOf(path: string, offset: number, length: number): Promise<string> {
  if (length <= 0) return '';
  try {
    await using file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
    let end = bytesRead;
    // What a daemon that was killed has set aside behind its last line.
    while (end > 0 && buffer[end - 1] === 0) end--;
    return buffer.toString('utf8', 0, end);
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Undefined for a line that the death of its writer cut. */
function parsed(line: string): TimelineEvent | undefined {
  try {
    return JSON.parse(line) as TimelineEvent;
  } catch {
    return undefined;
  }
}
