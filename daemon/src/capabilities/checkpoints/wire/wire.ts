import type { z } from 'zod';
import { pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import type { DiffStream } from '../checkpoint-service.ts';
import type {
  ChangeFound,
  CheckpointRecord,
  DiffFound,
  ObjectFacts,
  OutPath,
  Restored,
} from '../engine/engine-protocol.ts';
import type {
  Checkpoint,
  CheckpointChange,
  CheckpointDiff,
  CheckpointDiffEvent,
  CheckpointRestored,
} from './schemas.ts';

const NANOSECONDS = 1_000_000_000n;

export function checkpointData(record: CheckpointRecord): z.infer<typeof Checkpoint> {
  return {
    id: record.id,
    ...pathFields(pathOfLatin1(record.root)),
    label: record.label,
    origin: record.origin,
    created_at: record.createdAt,
    uid: record.uid,
    exclude: [...record.exclude],
    files: record.files,
    bytes: record.bytes,
    stored_bytes: record.storedBytes,
    took_ms: record.tookMs,
    left_out_count: record.leftOutCount,
    left_out: record.leftOut.map(leftData),
  };
}

export function diffData(
  from: string,
  to: string | undefined,
  { changes, counts }: DiffFound,
): z.infer<typeof CheckpointDiff> {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { from, to: to ?? 'now', ...counts, changes: changes.map(changeData), truncated: changes.length < total };
}

export function restoredData(restored: Restored): z.infer<typeof CheckpointRestored> {
  return {
    checkpoint_before: restored.before ? checkpointData(restored.before) : null,
    change_count: restored.changeCount,
    changes: restored.changes.map(changeData),
    not_restored_count: restored.notRestoredCount,
    not_restored: restored.notRestored.map(leftData),
  };
}

function leftData({ path, reason }: OutPath): { path: string; path_b64?: string; reason: string } {
  return { ...pathFields(pathOfLatin1(path)), reason };
}

/** The lines of a stream of a diff, each with its end. */
export async function* diffLines(
  from: string,
  to: string | undefined,
  { counts, isCut, changes }: DiffStream,
): AsyncGenerator<string> {
  yield lineOf({ type: 'diff', from, to: to ?? 'now', ...counts });
  for await (const some of changes)
    yield some.map((change) => lineOf({ type: 'change', change: changeData(change) })).join('');
  yield lineOf({ type: 'end', truncated: isCut });
}

function lineOf(event: z.infer<typeof CheckpointDiffEvent>): string {
  return `${JSON.stringify(event)}\n`;
}

function changeData({
  type,
  path,
  from,
  before,
  after,
  text,
  textOmitted,
}: ChangeFound): z.infer<typeof CheckpointChange> {
  return {
    type,
    ...pathFields(pathOfLatin1(path)),
    from: from === undefined ? null : shownPath(pathOfLatin1(from)),
    before: before ? objectData(before) : null,
    after: after ? objectData(after) : null,
    ...(text !== undefined && { text }),
    ...(textOmitted && { text_omitted: textOmitted }),
  };
}

function objectData({
  kind,
  mode,
  uid,
  gid,
  size,
  mtime,
  target,
}: ObjectFacts): z.infer<typeof CheckpointChange>['after'] {
  return {
    kind: kind as 'file',
    mode: mode.toString(8).padStart(4, '0'),
    uid,
    gid,
    size,
    modified_time: timeText(mtime),
    target: target === '' ? null : shownPath(pathOfLatin1(target)),
  };
}

/** RFC 3339 with nanoseconds. */
export function timeText(time: bigint): string {
  const rest = ((time % NANOSECONDS) + NANOSECONDS) % NANOSECONDS;
  const seconds = Number((time - rest) / NANOSECONDS);
  const text = new Date(seconds * 1000).toISOString();
  return `${text.slice(0, -'.000Z'.length)}.${rest.toString().padStart(9, '0')}Z`;
}
