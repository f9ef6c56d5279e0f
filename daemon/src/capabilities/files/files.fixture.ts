import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { test as base, expect } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

export { describe, expect } from 'vitest';

// Expected modes of created files depend on the umask.
process.umask(0o022);

interface Fixtures {
  readonly daemon: TestApp;
  /** An empty directory of the test's own. */
  readonly dir: string;
}

/** A test with a daemon and a directory. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from a pattern.
  daemon: async ({}, use) => {
    await using daemon = await TestApp.start();
    await use(daemon);
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  dir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'sandboxd-files-'));
    await mkdir(dir, { recursive: true });
    await use(dir);
    await rm(dir, { recursive: true, force: true });
  },
});

/** The `data` of a call that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects.
export async function get(daemon: TestApp, route: string, query: Record<string, string> = {}): Promise<any> {
  return dataOf(await daemon.inject({ url: `/v2/fs/${route}`, query }));
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
export async function post(daemon: TestApp, route: string, body: object): Promise<any> {
  return dataOf(await daemon.post(`/v2/fs/${route}`, body));
}

/** Status and data of a call that fails. */
export async function failure(answer: Promise<LightMyRequestResponse>): Promise<{ status: number; type: string }> {
  const { statusCode, body } = await answer;
  const { success, data } = JSON.parse(body);
  expect(success).toBe(false);
  return { status: statusCode, type: data?.error_type };
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
function dataOf(answer: LightMyRequestResponse): any {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return answer.json().data;
}

/** A file's text. */
export function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** A directory of two files and a link, one with a mode and a time of its own. */
export function tree(root: string): void {
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(root, 'f'), 'f', { mode: 0o640 });
  writeFileSync(join(root, 'sub/g'), 'g');
  symlinkSync('../f', join(root, 'sub/link'));
  utimesSync(join(root, 'f'), 1e9, 1e9);
}

/** Status and type of a failed call of `/v2/fs/{route}`. */
export async function refused(daemon: TestApp, route: string, body: object): Promise<{ status: number; type: string }> {
  return failure(daemon.post(`/v2/fs/${route}`, body));
}
