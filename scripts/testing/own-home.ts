import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Run by vitest before the tests, whose processes get this environment: what they start is at home in a directory of
 * its own, where a shell has no start-up file that takes its time or a lock, and leaves no history behind.
 */
export async function setup(): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'sandbox-home-'));
  process.env['HOME'] = home;
  return () => rm(home, { recursive: true, force: true, maxRetries: 5 });
}
