import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { type ByteName, pathOf } from '../../../core/files/byte-name.ts';
import type { FilePath } from '../../../core/files/file-path.ts';
import { type Envelope, ok } from '../../../http/envelope.ts';
import { pathFields, pathOf as pathNamed } from '../../../http/files/file-fields.ts';
import { clientGone } from '../../../http/streams/client-gone.ts';
import type { ServerSentEvent } from '../../../http/streams/sse.ts';
import { isLoss, type LogEntry } from '../event-log.ts';
import type { WatchService } from '../watch-service.ts';
import type { Watcher, WatcherTerms } from '../watcher.ts';
import { eventInfo } from './event-info.ts';
import type { CreateWatchBody, WatchCreated, WatchEvents, WatcherInfo, WatchReleased } from './schemas.ts';

function termsOf(
  path: FilePath,
  body: { recursive: boolean; debounce: number; exclude: string[]; include_patterns: string[] },
): WatcherTerms {
  const { recursive, debounce, exclude, include_patterns } = body;
  return { path, recursive, debounceMs: debounce, exclude, include: include_patterns };
}

export function watcherInfo(watcher: Watcher, backend: 'inotify' | 'portable'): z.infer<typeof WatcherInfo> {
  const { id, terms, root, subscribers, log, createdAt } = watcher;
  return {
    watcher_id: id,
    ...pathFields(pathOf(root)),
    recursive: terms.recursive,
    debounce: terms.debounceMs,
    exclude: [...terms.exclude],
    include_patterns: [...terms.include],
    subscribers,
    cursor: log.last,
    backend,
    created_at: createdAt.toISOString(),
  };
}

/** Creates or shares a watcher; one whose caller has gone meanwhile is released again. */
export async function beginWatching(
  service: WatchService,
  body: z.infer<typeof CreateWatchBody>,
  reply: FastifyReply,
): Promise<{ watcher: Watcher; data: z.infer<typeof WatchCreated> }> {
  const gone = clientGone(reply);
  const { watcher, reused } = await service.create(termsOf(pathNamed(body, 'watch'), body));
  if (gone.aborted) await service.release(watcher.id);
  return { watcher, data: { watcher_id: watcher.id, initial_cursor: watcher.log.last, reused } };
}

export function listed(service: WatchService): Envelope<{ watchers: z.infer<typeof WatcherInfo>[] }> {
  const watchers = service.list().map((watcher) => watcherInfo(watcher, service.backend.name));
  return ok({ watchers }, `${watchers.length} watchers`);
}

export async function released(service: WatchService, id: string): Promise<Envelope<z.infer<typeof WatchReleased>>> {
  const { subscribers } = await service.release(id);
  return ok({ watcher_id: id, subscribers }, subscribers === 0 ? 'stopped' : `${subscribers} subscribers are left`);
}

/** What came after the cursor, in one answer. */
export function polled(
  { root, log }: Watcher,
  { cursor, limit }: { readonly cursor: number; readonly limit: number },
): z.infer<typeof WatchEvents> {
  const from = Math.min(cursor, log.last);
  const entries = log.after(from, limit);
  const events = entries.flatMap((entry) => (isLoss(entry) ? [] : [eventInfo(root, entry)]));
  return { events, cursor: entries.at(-1)?.seq ?? from, overflow: entries.some(isLoss) };
}

/** Entries that one write of a stream carries. */
const STREAM_BATCH = 256;

/** The events from the cursor on, as they come, until the watcher is stopped or the client is gone. */
export async function* streamed(
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
    await log.moreThan(at, gone);
  }
}

function toSend(id: string, root: ByteName, entry: LogEntry): ServerSentEvent {
  const sent = { id: `${id}:${entry.seq}` };
  return isLoss(entry)
    ? { ...sent, event: 'overflow', data: { watcher_id: id, seq: entry.seq, reason: entry.reason } }
    : { ...sent, event: 'file_change', data: eventInfo(root, entry) };
}

/** Where a stream goes on (`Last-Event-ID`); undefined where that is of another watcher. */
export function cursorOf(id: string, lastEventId: string | string[] | undefined): number | undefined {
  const [, watcher, seq] = /^([^:]+):(\d{1,15})$/.exec([lastEventId].flat()[0] ?? '') ?? [];
  return watcher === id ? Number(seq) : undefined;
}
