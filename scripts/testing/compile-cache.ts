import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { ROOT } from '../root.ts';

/** The environment of daemons that tests start: half of the time of a start is erasing types and compiling. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: join(ROOT, 'dist/.test-cache'),
  // vitest sets it while it measures coverage.
  NODE_DISABLE_COMPILE_CACHE: undefined,
};

/** vitest runs this before the tests: a process that is killed, as many daemons are, does not write its cache. */
export async function setup(): Promise<void> {
  const load = ['--input-type=module', '-e', `await import(${JSON.stringify(join(ROOT, 'daemon/src/app.ts'))})`];
  // Tests say what is wrong with sources that cannot be loaded.
  await promisify(execFile)(process.execPath, load, { env: { ...process.env, ...COMPILE_CACHE } }).catch(() => {});
}
