import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * vitest runs this before the tests, and their processes inherit the environment: their home is a private directory
 * without start-up files, which could take time or a lock, and without a shell history to write to.
 */
export async function setup(): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'sandbox-home-'));
  process.env['HOME'] = home;
  return () => rm(home, { recursive: true, force: true, maxRetries: 5 });
}
