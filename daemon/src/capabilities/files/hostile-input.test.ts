import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isPartName } from '../../core/files/part-name.ts';
import { expect, test } from './files.fixture.ts';

/** Far more than linear work takes, far less than quadratic work. */
const IN_TIME_MS = 5_000;

test('[work.linear] base64 of a megabyte of blanks and a wrong character is 400 in time', async ({ daemon, dir }) => {
  const began = performance.now();
  const content = `${' '.repeat(1_000_000)}!`;
  const answer = await daemon.post('/v2/fs/write', { path: join(dir, 'f'), content, encoding: 'base64' });
  expect([answer.statusCode, answer.json().message]).toEqual([400, 'content is not base64']);
  expect(performance.now() - began).toBeLessThan(IN_TIME_MS);
});

test('[work.linear] a failure that names a path of a megabyte of blanks is answered in time', async ({ daemon }) => {
  const began = performance.now();
  const answer = await daemon.inject({ url: '/v2/fs/stat', query: { path: `/${' '.repeat(1_000_000)}x` } });
  expect(answer.statusCode).toBe(400);
  expect(performance.now() - began).toBeLessThan(IN_TIME_MS);
});

/** The file of a copy that is under way, in its private directory. */
function partOf(directory: string): string | undefined {
  const part = readdirSync(directory).find(isPartName);
  const name = part === undefined ? undefined : readdirSync(join(directory, part))[0];
  return part === undefined || name === undefined ? undefined : join(directory, part, name);
}

test('[work.no-fifo] a FIFO in place of the part of a copy does not block the daemon', async ({ daemon, dir }) => {
  writeFileSync(join(dir, 'source'), Buffer.alloc(128 * 1024 ** 2, 1));
  execFileSync('mkfifo', [join(dir, 'fifo')]);
  const copy = daemon.post('/v2/fs/copy', { source: join(dir, 'source'), destination: join(dir, 'copy') });
  let answered = false;
  void copy.then(() => {
    answered = true;
  });
  let part: string | undefined;
  while (part === undefined && !answered) {
    await turn();
    part = partOf(dir);
  }
  if (part !== undefined) {
    // Only the daemon's account can reach the part.
    expect(statSync(dirname(part)).mode & 0o077).toBe(0);
    renameSync(join(dir, 'fifo'), part);
  }
  await copy;
  expect(answered).toBe(true);
});
