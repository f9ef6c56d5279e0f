import { z } from 'zod';
import { NamedPath, OptionalDirectoryFields } from '../../../http/files/file-fields.ts';

/** Patterns and paths of one call. */
const PATTERNS_MAX = 64;
const PATTERN_BYTES = 256;
const PATHS_MAX = 1000;

const Pattern = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= PATTERN_BYTES, `at most ${PATTERN_BYTES} bytes`)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');

export const Label = z.string().min(1).max(200).meta({ description: 'What the checkpoint is for.' });

export const CheckpointParams = z.object({ checkpoint_id: z.string().meta({ examples: ['cp-0123456789abcdef'] }) });

export const CreateBody = z
  .object({
    ...OptionalDirectoryFields,
    label: Label.optional(),
    exclude: z.array(Pattern).max(PATTERNS_MAX).default([]).meta({
      description:
        'Patterns of what to leave out; one without / goes by the name alone, ** matches across directories.',
    }),
  })
  .meta({ example: { path: '/tmp/example', label: 'before the refactoring' } });

export const RestoreBody = z
  .object({
    paths: z.array(z.string().min(1)).max(PATHS_MAX).default([]).meta({
      description: 'Only these and what is below them: absolute, or relative to the directory. Empty: all of it.',
    }),
    dry_run: z.boolean().default(false).meta({ description: 'Report the changes and make none.' }),
    delete_new: z.boolean().default(false).meta({ description: 'Remove what was added since the checkpoint.' }),
  })
  .meta({ example: { paths: ['hello.txt'], delete_new: true } });

const Left = z.object({
  ...NamedPath,
  reason: z.string().meta({ description: 'A name of errno(3), changed, xattrs, or no content.' }),
});

export const Checkpoint = z
  .object({
    id: z.string(),
    ...NamedPath,
    label: z.string().nullable(),
    origin: z.enum(['manual', 'restore', 'auto', 'import']).meta({
      description:
        'restore: of what was there before a restore. auto: before a command, a cell or a change of files. import: an archive.',
    }),
    created_at: z.iso.datetime(),
    uid: z.int().meta({ description: 'The account that the directory was read as, or for which it was imported.' }),
    exclude: z.array(z.string()),
    files: z.int(),
    bytes: z.int().meta({ description: 'Of all its files.' }),
    stored_bytes: z.int().meta({ description: 'That the store has grown by.' }),
    took_ms: z.int(),
    left_out_count: z.int().meta({ description: 'Paths of which not all could be read.' }),
    left_out: z.array(Left).meta({ description: 'The first 100.' }),
  })
  .meta({ id: 'Checkpoint' });

export const CheckpointList = z
  .object({
    checkpoints: z.array(Checkpoint).meta({ description: 'The newest first.' }),
    total_count: z.int(),
    cursor: z.string().nullable().meta({ description: 'Where to continue; null at the end of the list.' }),
  })
  .meta({ id: 'CheckpointList' });

const CheckpointObject = z
  .object({
    kind: z.enum(['file', 'directory', 'symlink', 'fifo', 'socket', 'block_device', 'character_device']),
    mode: z.string().meta({ description: 'Octal.', examples: ['0644'] }),
    uid: z.int(),
    gid: z.int(),
    size: z.int(),
    modified_time: z.string().meta({ description: 'With nanoseconds.' }),
    target: z.string().nullable(),
  })
  .meta({ id: 'CheckpointObject' });

export const CheckpointChange = z
  .object({
    type: z.enum(['added', 'removed', 'modified', 'metadata', 'renamed']).meta({
      description: 'metadata: only owner, mode, times or attributes differ.',
    }),
    ...NamedPath,
    from: z.string().nullable().meta({ description: 'Of renamed: the path before.' }),
    before: CheckpointObject.nullable(),
    after: CheckpointObject.nullable(),
    text: z.string().optional().meta({ description: 'With text=true, of a file: the change as unified text.' }),
    text_omitted: z
      .enum(['binary', 'too_large', 'cut', 'unreadable', 'changed'])
      .optional()
      .meta({
        description:
          'Why a file has no text. too_large: a version has over 1 MiB. cut: of all of it, or of its end, at a limit. ' +
          'changed: after the comparison.',
      }),
  })
  .meta({ id: 'CheckpointChange' });

export const CheckpointDiff = z
  .object({
    from: z.string(),
    to: z.string().meta({ description: 'The id of a checkpoint, or now.' }),
    added: z.int(),
    removed: z.int(),
    modified: z.int(),
    metadata: z.int(),
    renamed: z.int(),
    changes: z.array(CheckpointChange).meta({ description: 'By path, relative to the directory.' }),
    truncated: z.boolean(),
  })
  .meta({ id: 'CheckpointDiff' });

const Counts = CheckpointDiff.omit({ changes: true, truncated: true });

/** A line of the stream of a diff. */
export const CheckpointDiffEvent = z
  .discriminatedUnion('type', [
    Counts.extend({ type: z.literal('diff') }).meta({ id: 'CheckpointDiffHead', description: 'First.' }),
    z.object({ type: z.literal('change'), change: CheckpointChange }).meta({ id: 'CheckpointDiffChange' }),
    z
      .object({ type: z.literal('heartbeat') })
      .meta({ id: 'CheckpointDiffHeartbeat', description: 'After 15 s of silence.' }),
    z.object({ type: z.literal('end'), truncated: z.boolean() }).meta({
      id: 'CheckpointDiffEnd',
      description: 'Last. A stream without it was cut. truncated: changes are left out.',
    }),
  ])
  .meta({ id: 'CheckpointDiffEvent' });

export const CheckpointRestored = z
  .object({
    checkpoint_before: Checkpoint.nullable().meta({ description: 'Of what was there before; null for dry_run.' }),
    change_count: z.int(),
    changes: z.array(CheckpointChange).meta({ description: 'From what was there to the checkpoint; the first 100.' }),
    not_restored_count: z.int(),
    not_restored: z.array(Left).meta({ description: 'The first 100.' }),
  })
  .meta({ id: 'CheckpointRestored' });
