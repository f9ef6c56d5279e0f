import { isLoss, type LogEntry } from '../../../core/event-log.ts';
import { type ByteName, pathOf } from '../../../core/files/byte-name.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import type { ServerSentEvent } from '../../../http/streams/sse.ts';
import type { WatchEvent } from '../watch-event.ts';
import type { Watcher } from '../watcher.ts';
import { eventInfo } from './event-info.ts';

/** Entries that one write of a stream carries. */
const STREAM_BATCH = 256;

/** The events from the cursor on, until the watcher is stopped or the signal fires. */
export async function* streamEvents(
  watcher: Watcher,
  cursor: number | undefined,
  gone: AbortSignal,
): AsyncIterable<readonly ServerSentEvent[]> {
  const { id, root, log } = watcher;
  let at = cursor === undefined ? log.firstKept - 1 : Math.min(cursor, log.last);
  yield [
    { event: 'watch_started', id: `${id}:${at}`, data: { watcher_id: id, ...pathFields(pathOf(root)), cursor: at } },
  ];
  while (!gone.aborted) {
    const entries = log.after(at, STREAM_BATCH);
    at = entries.at(-1)?.seq ?? at;
    yield entries.map((entry) => toSend(id, root, entry));
    if (entries.length === 0 && log.isClosed) return;
    await log.moreThan(at, { signal: gone });
  }
}

function toSend(id: string, root: ByteName, entry: LogEntry<WatchEvent>): ServerSentEvent {
  const sent = { id: `${id}:${entry.seq}` };
  return isLoss(entry)
    ? { ...sent, event: 'overflow', data: { watcher_id: id, seq: entry.seq, reason: entry.reason } }
    : { ...sent, event: 'file_change', data: eventInfo(root, entry) };
}

/** The cursor of a `Last-Event-ID` header; undefined if it names another watcher. */
export function cursorOf(id: string, lastEventId: string | string[] | undefined): number | undefined {
  const [, watcher, seq] = /^([^:]+):(\d{1,15})$/.exec([lastEventId].flat()[0] ?? '') ?? [];
  return watcher === id ? Number(seq) : undefined;
}
