import { randomBytes } from 'node:crypto';
import type { Captured } from './capture.ts';
import { outPaths } from './engine-errors.ts';
import type { AutoTask, CheckpointOrigin, CheckpointRecord, CreateTask } from './engine-protocol.ts';
import type { KeptTree } from './keep-tree.ts';

/** Paths that a record and an answer name. */
export const PATHS_NAMED = 100;

interface Taken {
  readonly root: Buffer;
  readonly uid: number;
  readonly kept: KeptTree;
  readonly storedBytes: number;
  readonly captured: Captured;
  /** Of `performance.now`. */
  readonly began: number;
}

/** The line of a checkpoint that is stored. */
export function newRecord(
  task: CreateTask | AutoTask,
  origin: CheckpointOrigin,
  { root, uid, kept, storedBytes, captured: { leftOut }, began }: Taken,
): CheckpointRecord {
  return {
    id: `cp-${randomBytes(8).toString('hex')}`,
    root: root.toString('latin1'),
    label: task.label,
    origin,
    createdAt: new Date().toISOString(),
    ...('tick' in task && { tick: task.tick }),
    uid,
    exclude: task.exclude,
    tree: Buffer.from(kept.tree, 'latin1').toString('hex'),
    files: kept.files,
    bytes: kept.bytes,
    storedBytes,
    tookMs: Math.round(performance.now() - began),
    leftOut: outPaths(leftOut.slice(0, PATHS_NAMED)),
    leftOutCount: leftOut.length,
  };
}
