import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RuntimeDir } from './runtime-dir.ts';

let path: string;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'runtime-dir-'));
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

const sockets = (): string[] => readdirSync(path).filter((name) => name.endsWith('.sock'));

/** Leaves the socket of a killed daemon: a name on which no process listens. */
async function leaveName(): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(path, 'gone.sock'), resolve));
  linkSync(join(path, 'gone.sock'), join(path, 'daemon.sock'));
  await new Promise((resolve) => server.close(resolve));
}

test.each(['a fresh directory', 'one whose daemon was killed'])(
  'of several daemons at once, one gets %s',
  async (which) => {
    if (which !== 'a fresh directory') await leaveName();
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => RuntimeDir.open(path)));
    const [winner, ...others] = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(others).toEqual([]);
    const reasons = opened.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(new Set(reasons)).toEqual(new Set([`Error: another daemon holds the runtime directory ${path}`]));
    expect(sockets()).toEqual(['daemon.sock']);
    await winner?.[Symbol.asyncDispose]();
    expect(sockets()).toEqual([]);
    await using next = await RuntimeDir.open(path);
    expect(next.path).toBe(path);
  },
);

test('a directory in the place of the socket is an error, and not waited for', async () => {
  mkdirSync(join(path, 'daemon.sock'));
  await expect(RuntimeDir.open(path)).rejects.toThrow(
    `cannot remove ${join(path, 'daemon.sock')}, on which no daemon listens (EISDIR): remove it`,
  );
  expect(sockets()).toEqual(['daemon.sock']);
});
