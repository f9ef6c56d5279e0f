import { z } from 'zod';
import { type DeclaredTool, defineTool } from '../../../core/tools/tool.ts';
import { DEFAULT_EXCLUDE, type WatchService } from '../watch-service.ts';
import { readEvents, watcherInfo } from './wire.ts';

const TIMEOUT_MAX = 60;
const LIMIT = 100;
const LIMIT_MAX = 1000;
const DEBOUNCE_MS = 300;

const TOOL = {
  name: 'sandbox_watch',
  order: 16,
  isExtra: true,
  title: 'Watch files',
  description: `Watches a file or directory for changes by anything in the sandbox. start: gives watcher_id and cursor.
poll: changes after cursor, or the next within timeout seconds, and the cursor of the next poll. list, stop.
Example: {"action": "start", "path": "/home/sandbox/project", "exclude": ["node_modules"]}`,
  annotations: { readOnlyHint: true, openWorldHint: false },
} as const;

const watcher_id = z.string().meta({ description: 'poll, stop.' });
const Globs = z.array(z.string().min(1).max(4096)).max(1000);

const start = defineTool({
  ...TOOL,
  actions: ['start'],
  schema: z.object({
    path: z.string().meta({ description: 'start: absolute, ~/…, or relative to the home.' }),
    recursive: z.boolean().default(true),
    include: Globs.default([]).meta({ description: 'start: only what matches, as in .gitignore.' }),
    exclude: Globs.optional().meta({ description: 'start: default .git, node_modules and the like.' }),
  }),
  handler: async (service: WatchService, { path, recursive, include, exclude = DEFAULT_EXCLUDE }, { gone }) => {
    const terms = { path: service.paths.of({ path }, 'watch'), recursive, include, exclude, debounceMs: DEBOUNCE_MS };
    const { watcher } = await service.create(terms);
    if (gone.aborted) await service.release(watcher.id);
    return { watcher_id: watcher.id, cursor: watcher.log.last, path: watcherInfo(watcher, service.backend.name).path };
  },
});

const poll = defineTool({
  ...TOOL,
  actions: ['poll'],
  schema: z.object({
    watcher_id,
    cursor: z.int().min(0).default(0),
    timeout: z.number().min(0).max(TIMEOUT_MAX).default(0),
    limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT),
  }),
  handler: async (service: WatchService, { watcher_id: id, ...request }, { gone }) => {
    const { events, cursor, overflow } = await readEvents(service, id, request, gone);
    const lost = 'changes are missing: list the directory with sandbox_file_operations';
    return {
      changes: events.map(({ type, path, old_path, is_dir }) => ({
        type,
        path,
        ...(old_path !== null && { old_path }),
        is_dir,
      })),
      cursor,
      ...(overflow && { hint: lost }),
    };
  },
});

const list = defineTool({
  ...TOOL,
  actions: ['list'],
  schema: z.object({}),
  handler: async (service: WatchService) => ({
    watchers: service.list().map((watcher) => watcherInfo(watcher, service.backend.name)),
  }),
});

const stop = defineTool({
  ...TOOL,
  actions: ['stop'],
  schema: z.object({ watcher_id }),
  handler: async (service: WatchService, { watcher_id: id }) => ({
    watcher_id: id,
    subscribers: (await service.release(id)).subscribers,
  }),
});

/** One tool, in a part for each of its actions. */
export const watchTool: readonly DeclaredTool<WatchService>[] = [start, poll, list, stop];
