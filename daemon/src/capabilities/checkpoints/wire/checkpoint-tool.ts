import { z } from 'zod';
import { pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';
import { type DeclaredTool, defineTool } from '../../../core/tools/tool.ts';
import type { CheckpointService } from '../checkpoint-service.ts';
import { checkpointData, diffData, restoredData } from './wire.ts';

/** Changes and checkpoints in one result; bytes of a file. */
const CHANGES = 200;
const LISTED = 50;
const FILE_BYTES = 65_536;
/** Bytes of texts in one result. */
const TEXTS = { ofFile: 16_384, ofAll: 65_536, contents: 16 * 1024 ** 2 } as const;

const TOOL = {
  name: 'sandbox_checkpoint',
  order: 17,
  isExtra: true,
  title: 'Checkpoints of a directory',
  description: `Undo in a workspace. create: keeps a directory as it is. diff: what has changed since. restore: makes it
what it was, after a checkpoint of what is there. read: a file as it was. list, delete.
Example: {"action": "create", "path": "/home/sandbox/project", "label": "before the refactoring"}`,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
} as const;

const checkpoint_id = z.string().meta({ description: 'All but create and list.' });

const create = defineTool({
  ...TOOL,
  actions: ['create'],
  schema: z.object({
    path: z.string().optional().meta({ description: 'create: a directory, default the home; read: a file of it.' }),
    label: z.string().min(1).max(200).optional(),
    exclude: z.array(z.string().min(1).max(256)).max(64).default([]).meta({ description: 'create: globs.' }),
  }),
  handler: async (service: CheckpointService, { path, label = null, exclude }, { cancelled: gone }) => {
    const root = path === undefined ? undefined : service.paths.of({ path }, 'checkpoint');
    return briefly(await service.create({ path: root, user: undefined, label, exclude, gone }));
  },
});

const list = defineTool({
  ...TOOL,
  actions: ['list'],
  schema: z.object({}),
  handler: async (service: CheckpointService) => {
    const all = await service.list();
    return { checkpoints: all.slice(0, LISTED).map(briefly), total_count: all.length };
  },
});

const diff = defineTool({
  ...TOOL,
  actions: ['diff'],
  schema: z.object({
    checkpoint_id,
    to: z.string().default('now').meta({ description: 'diff: now, or another checkpoint.' }),
    text: z.boolean().default(false).meta({ description: 'diff: unified text too.' }),
  }),
  handler: async (service: CheckpointService, { checkpoint_id: id, to, text: hasTexts }, { cancelled: gone }) => {
    const other = to === 'now' ? undefined : to;
    const { changes, ...counts } = diffData(
      id,
      other,
      await service.diff(id, {
        to: other,
        user: undefined,
        maxChanges: CHANGES,
        texts: hasTexts ? TEXTS : undefined,
        gone,
      }),
    );
    return {
      ...counts,
      changes: changes.map(({ type, path, from, text, text_omitted }) => ({
        type,
        path,
        ...(from !== null && { from }),
        ...(text && { text }),
        ...(text_omitted && { text_omitted }),
      })),
    };
  },
});

const restore = defineTool({
  ...TOOL,
  actions: ['restore'],
  schema: z.object({
    checkpoint_id,
    paths: z.array(z.string().min(1)).max(1000).default([]).meta({ description: 'restore: only these.' }),
    dry_run: z.boolean().default(false),
    delete_new: z.boolean().default(false).meta({ description: 'restore: remove what was added.' }),
  }),
  handler: async (
    service: CheckpointService,
    { checkpoint_id: id, paths, dry_run: isDryRun, delete_new: deletesNew },
    { cancelled: gone },
  ) => {
    const data = restoredData(await service.restore(id, { user: undefined, paths, isDryRun, deletesNew, gone }));
    return {
      checkpoint_before: data.checkpoint_before?.id ?? null,
      change_count: data.change_count,
      changes: data.changes.map(({ type, path }) => ({ type, path })),
      not_restored_count: data.not_restored_count,
      not_restored: data.not_restored,
    };
  },
});

const read = defineTool({
  ...TOOL,
  actions: ['read'],
  schema: z.object({ checkpoint_id, path: z.string() }),
  handler: async (service: CheckpointService, { checkpoint_id: id, path }) => {
    const { facts, bytes } = await service.file(id, path);
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of bytes) {
      parts.push(part.subarray(0, FILE_BYTES - length));
      length += part.length;
      if (length >= FILE_BYTES) break;
    }
    const isCut = facts.size > FILE_BYTES;
    return {
      content: Buffer.concat(parts).toString(),
      size: facts.size,
      ...(isCut && { hint: `the first ${FILE_BYTES} bytes: restore the file with paths to have all of it` }),
    };
  },
});

const remove = defineTool({
  ...TOOL,
  actions: ['delete'],
  schema: z.object({ checkpoint_id }),
  handler: async (service: CheckpointService, { checkpoint_id: id }) => briefly(await service.remove(id)),
});

function briefly(record: Parameters<typeof checkpointData>[0]) {
  const { id, label, origin, created_at, files, bytes, left_out_count } = checkpointData(record);
  const path = shownPath(pathOfLatin1(record.root));
  return {
    checkpoint_id: id,
    path,
    label,
    origin,
    created_at,
    files,
    bytes,
    ...(left_out_count > 0 && { left_out_count }),
  };
}

/** One tool, in a part for each of its actions. */
export const checkpointTool: readonly DeclaredTool<CheckpointService>[] = [create, list, diff, restore, read, remove];
