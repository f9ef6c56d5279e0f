import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { Text } from '../../../http/fields.ts';
import { NamedPath, PathFields, requirePath } from '../../../http/files/file-fields.ts';
import { CHANGE_TYPES } from '../change.ts';
import { DEFAULT_EXCLUDE } from '../watch-service.ts';

const Patterns = z.array(Text.min(1).max(4096)).max(1000);

const WatchTermsFields = {
  recursive: z.boolean().default(true),
  debounce: z
    .int()
    .min(50)
    .max(5000)
    .default(300)
    .meta({ description: 'Milliseconds that changes are collected; changes of one path and type are merged.' }),
  exclude: Patterns.default([...DEFAULT_EXCLUDE]).meta({
    description:
      'Patterns in the syntax of .gitignore for what is neither reported nor descended into; replaces the default.',
  }),
  include_patterns: Patterns.default([]).meta({
    description: 'If not empty, only what matches one of these patterns is reported.',
  }),
} as const;

export const CreateWatchBody = z
  .object({ ...PathFields, ...WatchTermsFields })
  .check(requirePath('path'))
  .meta({ id: 'CreateWatch', example: { path: '/tmp/example', recursive: true } });

export const WatchCreated = z
  .object({
    watcher_id: z.string(),
    initial_cursor: z.int().meta({ description: 'Poll from it to get the events from now on.' }),
    reused: z
      .boolean()
      .meta({ description: 'An existing watcher of the same configuration is shared; it has one more subscriber.' }),
  })
  .meta({ id: 'WatchCreated' });

export const WatcherInfo = z
  .object({
    watcher_id: z.string(),
    ...NamedPath,
    recursive: z.boolean(),
    debounce: z.int(),
    exclude: z.array(z.string()),
    include_patterns: z.array(z.string()),
    subscribers: z.int(),
    cursor: z.int().meta({ description: 'Sequence number of the newest event.' }),
    backend: z.enum(['inotify', 'portable']),
    created_at: z.string(),
  })
  .meta({ id: 'Watcher' });

export const WatchEventInfo = z
  .object({
    seq: z.int(),
    type: z.enum(CHANGE_TYPES).meta({ id: 'FileChangeType' }),
    ...NamedPath,
    relative_path: z.string().meta({ description: 'From the root of the watcher; empty for the root itself.' }),
    old_path: z.string().nullable().meta({ description: 'The former path of a rename.' }),
    old_path_b64: z.string().optional(),
    is_dir: z.boolean(),
    timestamp: z.number().meta({ description: 'Seconds since 1970.' }),
    mtime: z.number().nullable().meta({ description: 'Seconds since 1970; null if the file no longer exists.' }),
    size: z.int().nullable(),
    inode: z.int().nullable(),
  })
  .meta({ id: 'WatchEvent' });

export const WatchEvents = z
  .object({
    events: z.array(WatchEventInfo),
    cursor: z.int().meta({ description: 'Poll from it next time.' }),
    overflow: z.boolean().meta({ description: 'Events are missing before or among these: list the directory again.' }),
  })
  .meta({ id: 'WatchEvents' });

export const WatchReleased = z
  .object({
    watcher_id: z.string(),
    subscribers: z.int().meta({ description: 'Remaining subscribers; at 0 the watcher is stopped.' }),
  })
  .meta({ id: 'WatchReleased' });

const Cursor = queryNumber(z.int().min(0).max(Number.MAX_SAFE_INTEGER));

export const PollQuery = z.object({
  cursor: Cursor.prefault(0),
  limit: queryNumber(z.int().min(1).max(1000)).prefault(100),
  timeout: queryNumber(z.number().min(0).max(60))
    .prefault(0)
    .meta({ description: 'Seconds to wait if there is no event.' }),
});

export const EventsQuery = z.object({
  cursor: Cursor.optional().meta({ description: 'Begin after it; by default with the oldest kept event.' }),
});

export const WatcherParams = z.object({
  watcher_id: z.string().meta({ examples: ['7d0e3c2a-5b1f-4c8e-9a55-0f6d2b9c1e47'] }),
});

/** The data of the events of a watcher, by the name of the event: watch_started, file_change, overflow. */
export const WatchStreamEvent = z
  .union([
    z.object({ watcher_id: z.string(), ...NamedPath, cursor: z.int() }).meta({ id: 'WatchStarted' }),
    WatchEventInfo,
    z.object({ watcher_id: z.string(), seq: z.int(), reason: z.string() }).meta({ id: 'WatchOverflow' }),
  ])
  .meta({ id: 'WatchStreamEvent' });
