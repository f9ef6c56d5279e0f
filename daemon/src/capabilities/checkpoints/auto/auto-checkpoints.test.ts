import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';
import { AutoCheckpoints } from './auto-checkpoints.ts';

interface Checkpoint {
  readonly id: string;
  readonly origin: string;
  readonly label: string;
}

/** A daemon whose account has its home in the directory. */
async function withHome(
  checkpoints: 'auto' | 'manual',
  use: (app: TestApp, home: string) => Promise<void>,
): Promise<void> {
  await using directory = await tempDir();
  const home = join(directory.path, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'file'), 'first');
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  try {
    await using app = await TestApp.start({ checkpoints, defaultUser: undefined });
    await use(app, home);
  } finally {
    process.env['HOME'] = before;
  }
}

async function listOf(app: TestApp): Promise<readonly Checkpoint[]> {
  return (await app.inject('/v2/checkpoints')).json().data.checkpoints;
}

describe.runIf(hasKeeper)('checkpoints before changes', () => {
  test('[checkpoint.auto] what a command, a cell or a call for files destroys can be restored', async () => {
    await withHome('auto', async (app, home) => {
      const file = join(home, 'file');
      const kinds: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['before a command', () => app.run(`echo broken > ${file}`)],
        ['before a cell', () => app.post('/v2/code/execute', { language: 'bash', code: `echo cell > ${file}` })],
        ['before a change of files', () => app.post('/v2/fs/delete', { path: file })],
      ];
      for (const [label, destroy] of kinds) {
        const was = readFileSync(file, 'utf8');
        await destroy();
        const [newest] = await listOf(app);
        expect([newest?.origin, newest?.label]).toEqual(['auto', label]);
        await app.post(`/v2/checkpoints/${newest?.id}/restore`);
        expect(readFileSync(file, 'utf8')).toBe(was);
        writeFileSync(file, `after ${label}`);
      }
    });
  });

  test('[checkpoint.auto] commands that change nothing leave one checkpoint', async () => {
    await withHome('auto', async (app) => {
      for (let count = 0; count < 3; count += 1) await app.run('true');
      expect((await listOf(app)).map(({ origin }) => origin)).toEqual(['auto']);
    });
  });

  test('[checkpoint.auto] by default none is taken', async () => {
    await withHome('manual', async (app, home) => {
      await app.run(`echo broken > ${home}/file`);
      expect(await listOf(app)).toEqual([]);
    });
  });
});

test('[checkpoint.auto] a failure is counted, delays nothing, and the next ones are skipped for a while', async () => {
  const counted: string[] = [];
  const failures: unknown[] = [];
  const auto = new AutoCheckpoints({
    take: () => Promise.reject(new Error('no room')),
    isBusy: () => false,
    count: (result) => counted.push(result),
    onFailure: (error) => failures.push(error),
  });
  await auto.before({ what: 'a command' });
  expect(auto.before({ what: 'a command' })).toBeUndefined();
  expect([counted, failures.length]).toEqual([['failed', 'skipped'], 1]);
});
