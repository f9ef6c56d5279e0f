import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { expect, test } from 'vitest';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { RuntimeDir } from './runtime-dir.ts';
import { countUnexpectedEnds } from './unexpected-ends.ts';

const logger = createLogger('test', 'silent');

/** What a daemon leaves that is killed: the name of its socket, on which nothing listens. */
async function leaveSocket(directory: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(directory, 'left.sock'), resolve));
  await rename(join(directory, 'left.sock'), join(directory, 'daemon.sock'));
  await new Promise((resolve) => server.close(resolve));
}

async function endsOf(directory: string): Promise<number> {
  await using runtime = await RuntimeDir.open(directory);
  return countUnexpectedEnds(runtime, logger);
}

test('[metrics.unexpected-ends] a daemon that was killed counts, one that gave its directory up does not', async () => {
  await using directory = await tempDir();
  expect(await endsOf(directory.path)).toBe(0);
  expect(await endsOf(directory.path)).toBe(0);
  await leaveSocket(directory.path);
  expect(await endsOf(directory.path)).toBe(1);
  expect(await endsOf(directory.path)).toBe(1);
  await leaveSocket(directory.path);
  expect(await endsOf(directory.path)).toBe(2);
  expect(await readFile(join(directory.path, 'unexpected-ends'), 'utf8')).toBe('2');
});

test('[metrics.unexpected-ends] a file that is torn begins the count anew', async () => {
  await using directory = await tempDir();
  await writeFile(join(directory.path, 'unexpected-ends'), '1e999');
  await leaveSocket(directory.path);
  expect(await endsOf(directory.path)).toBe(1);
});
