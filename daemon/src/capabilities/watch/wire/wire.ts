import { counted } from '@sandbox/api/counted.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { type Envelope, ok } from '@sandbox/api/http/envelope.ts';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { isLoss } from '../../../core/event-log.ts';
import { pathOf } from '../../../core/files/byte-name.ts';
import type { FilePath } from '../../../core/files/file-path.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import type { WatchService } from '../watch-service.ts';
import type { Watcher, WatcherTerms } from '../watcher.ts';
import { eventInfo } from './event-info.ts';
import type { CreateWatchBody, WatchCreated, WatchEvents, WatcherInfo } from './schemas.ts';

function termsOf(body: z.infer<typeof CreateWatchBody>, path: FilePath): WatcherTerms {
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

/** Creates or shares a watcher, and releases it if the client disconnects meanwhile. */
export async function beginWatching(
  service: WatchService,
  body: z.infer<typeof CreateWatchBody>,
  path: FilePath,
  reply: FastifyReply,
): Promise<{ watcher: Watcher; data: z.infer<typeof WatchCreated> }> {
  const gone = clientGone(reply);
  const { watcher, reused } = await service.create(termsOf(body, path));
  if (gone.aborted) await service.release(watcher.id);
  return { watcher, data: { watcher_id: watcher.id, initial_cursor: watcher.log.last, reused } };
}

/** Events after the cursor; `timeout`: seconds to wait if there are none. */
export async function readEvents(
  service: WatchService,
  id: string,
  { cursor, limit, timeout }: { readonly cursor: number; readonly limit: number; readonly timeout: number },
  gone: AbortSignal,
): Promise<z.infer<typeof WatchEvents>> {
  const watcher = service.get(id);
  const read = await watcher.read({ cursor, limit, waitMs: timeout * 1000 }, gone);
  const events = read.entries.flatMap((entry) => (isLoss(entry) ? [] : [eventInfo(watcher.root, entry)]));
  return { events, cursor: read.cursor, overflow: read.entries.some(isLoss) };
}

/** Answers a poll. `timeout`: seconds to wait if there is no event after the cursor. */
export async function pollEvents(
  service: WatchService,
  id: string,
  { cursor, limit, timeout }: { readonly cursor: number; readonly limit: number; readonly timeout: number },
  reply: FastifyReply,
): Promise<Envelope<z.infer<typeof WatchEvents>>> {
  const data = await readEvents(service, id, { cursor, limit, timeout }, clientGone(reply));
  return ok(data, counted(data.events.length, 'event'));
}
