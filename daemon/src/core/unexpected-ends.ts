import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@sandbox/program/logger.ts';
import type { RuntimeDir } from './runtime-dir.ts';

const FILE = 'unexpected-ends';

/**
 * How often a daemon of this directory has ended without an orderly stop: killed by the watchdog or the system, or by a
 * crash. The number is kept in the directory, so that it outlives the daemons that it counts.
 */
export function countUnexpectedEnds({ path, wasLeft, space }: RuntimeDir, logger: Logger): number {
  const file = join(path, FILE);
  const before = numberIn(file);
  if (!wasLeft) return before;
  try {
    space.replace(file, String(before + 1));
  } catch (error) {
    logger.warn({ err: error }, 'the end of the daemon before this one cannot be counted');
  }
  return before + 1;
}

/** 0 if the file is absent, torn or no number. */
function numberIn(file: string): number {
  try {
    const number = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(number) && number > 0 ? number : 0;
  } catch {
    return 0;
  }
}
