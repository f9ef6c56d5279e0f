import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { CheckpointRecord } from '../engine/engine-protocol.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Younger automatic checkpoints are all kept. */
const ALL_MS = HOUR_MS;
/** The first automatic checkpoint of each step is kept, until that age; older ones go. */
const STEPS = [
  { untilMs: 24 * HOUR_MS, stepMs: 10 * MINUTE_MS },
  { untilMs: 7 * 24 * HOUR_MS, stepMs: 6 * HOUR_MS },
];
/** Of the automatic checkpoints, that give way at once: each attempt reads the directory again. */
const SHARE = 0.25;

/** Fewer superfluous ones stay: what only they have is looked for in all checkpoints. */
export const THINNED_AT_ONCE = 32;

/** Whether a checkpoint could not be taken for want of room in the store or on its disk. */
export function isWithoutRoom(error: unknown): boolean {
  return error instanceof SandboxError && (error.kind === 'capacity' || error.kind === 'disk_full');
}

/** The automatic checkpoints that go first, oldest first. @param records oldest first */
export function givingWay(records: readonly CheckpointRecord[]): CheckpointRecord[] {
  const all = records.filter(({ origin }) => origin === 'auto');
  return all.slice(0, Math.ceil(all.length * SHARE));
}

/**
 * The automatic checkpoints of a directory that their age has made superfluous; none while they are few.
 * @param records oldest first
 */
export function thinnedOut(records: readonly CheckpointRecord[], of: string, now: number): CheckpointRecord[] {
  const kept = new Set<string>();
  const superfluous = records.filter(({ origin, root, tick }) => {
    if (origin !== 'auto' || root !== of || tick === undefined) return false;
    const age = now - tick;
    if (age < ALL_MS) return false;
    const step = STEPS.find(({ untilMs }) => age < untilMs);
    if (!step) return true;
    const key = `${step.stepMs}:${Math.floor(tick / step.stepMs)}`;
    const isSuperfluous = kept.has(key);
    kept.add(key);
    return isSuperfluous;
  });
  return superfluous.length < THINNED_AT_ONCE ? [] : superfluous;
}
