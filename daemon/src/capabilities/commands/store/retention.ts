import type { Command } from '../run/command.ts';
import { IDEMPOTENCY_MS } from './idempotency.ts';

export interface RetentionLimits {
  /** How many ended commands are kept: those that ended last. */
  readonly maxRecords: number;
  /** Milliseconds that an ended command is kept. */
  readonly maxAgeMs: number;
  /** Bytes of output on disk, of all commands together. */
  readonly maxBytes: number;
}

/**
 * The ended ones in the order of their end. A command that ran for long is among the newest then, although many others
 * have begun and ended since: a client that waits for it must find it.
 */
export function inOrderOfEnd(commands: Iterable<Command>): Command[] {
  return [...commands].filter((command) => !command.isRunning).sort((a, b) => endOf(a) - endOf(b));
}

/**
 * Ended commands that are too old or too many, those that ended first in front.
 * @param now tick
 */
export function expired(
  commands: Iterable<Command>,
  { maxRecords, maxAgeMs }: RetentionLimits,
  now: number,
): Command[] {
  const ended = inOrderOfEnd(commands);
  return ended.filter((command, index) => {
    return !isProtected(command, now) && (now - endOf(command) >= maxAgeMs || ended.length - index > maxRecords);
  });
}

/** A tick; that of the start if the end is not known. */
function endOf({ record }: Command): number {
  return record.endedTick ?? record.startedTick;
}

/** A command stays known while its idempotency key stands for it. */
function isProtected({ record }: Command, now: number): boolean {
  return record.idempotency !== null && now - record.startedTick < IDEMPOTENCY_MS;
}

/**
 * Ended commands to drop so that the output of all fits, those that ended first in front; one with an idempotency key
 * loses its output alone. If that is not enough, drops the oldest output of the running ones.
 * @param now tick
 */
export function makeRoom(commands: Iterable<Command>, maxBytes: number, now: number): Command[] {
  const all = [...commands];
  let excess = all.reduce((sum, { output }) => sum + output.retainedBytes, 0) - maxBytes;
  const gone: Command[] = [];
  for (const command of inOrderOfEnd(all)) {
    if (excess <= 0) break;
    if (command.output.retainedBytes === 0) continue;
    if (isProtected(command, now)) {
      excess -= command.output.trimTo(0);
    } else {
      excess -= command.output.retainedBytes;
      gone.push(command);
    }
  }
  const largestFirst = all
    .filter((command) => command.isRunning)
    .sort((a, b) => b.output.retainedBytes - a.output.retainedBytes);
  for (const { output } of largestFirst) {
    if (excess <= 0) break;
    excess -= output.trimTo(Math.max(0, output.retainedBytes - excess));
  }
  return gone;
}
