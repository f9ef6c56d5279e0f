import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { ROOT } from '../root.ts';

/**
 * vitest runs this before the unit tests: the daemons that they start are those that people start. In a process of its
 * own, since vitest cannot resolve the assets of the pages.
 */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.ts')]);
}
