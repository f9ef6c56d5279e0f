import { readdirSync } from 'node:fs';
import { pollUntil } from '@sandbox/api/wait.ts';
import { expect, test } from 'vitest';
import { mayMount } from '../../../../../scripts/testing/may-mount.ts';
import { SmallDisk } from '../../../../../scripts/testing/small-disk.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { AgeClock } from '../../../core/clock/age-clock.ts';
import { type ErrorOutput, REFUSED } from '../runtime/output.ts';
import type { ExecutionHead } from './execution-head.ts';
import { JournalDirectory, readJournal } from './journal-file.ts';

if (!mayMount) process.stdout.write('left out: a full disk needs root on Linux, outside a container, to mount one\n');

const HEAD: ExecutionHead = {
  id: 'a',
  table: 'bash',
  language: 'bash',
  variant: '/bin/bash',
  code: 'x',
  sessionId: null,
  warnings: [],
  startedAt: new Date(0),
  startedTick: 0,
  timeoutSeconds: 1,
};
const END = { status: 'error', executionCount: null, exitCode: null, signal: null, oomKilled: null } as const;
const LONG = 8192;

test.runIf(mayMount).each([
  ['is part of the end of its cell', 'the reason', true],
  ['is left out if it is too long', 'x'.repeat(LONG), false],
])('[records.error] an error that a full disk refused %s', async (_name, evalue, isKept) => {
  await using disk = await SmallDisk.mount(1);
  using journals = new JournalDirectory(disk.path);
  const journal = journals.create(HEAD, undefined);
  disk.fill();
  for (let n = 0; n < 1000; n += 1) journal.output({ type: 'stream', name: 'stdout', text: 'some output' });
  const error: ErrorOutput = { type: 'error', ename: 'NotStarted', evalue, traceback: [] };
  journal.output(error);
  journal.end(END, new Date(0));
  const { outputs = [], end } = readJournal(`${disk.path}/a.ended`, AgeClock.ofProcess()) ?? {};
  expect(end).toMatchObject({ status: 'error' });
  expect(outputs.slice(outputs.findIndex((output) => 'text' in output && output.text.includes('left out')))).toEqual(
    isKept ? [REFUSED, error] : [REFUSED],
  );
});

test('a file that was opened ahead is removed if no execution follows', async () => {
  await using place = await tempDir();
  const unusedMs = 10;
  using journals = new JournalDirectory(place.path, unusedMs);
  for (const id of ['a', 'b']) journals.create({ ...HEAD, id }, undefined).end(END, new Date(0));
  await new Promise(setImmediate);
  const names = (): string[] => readdirSync(place.path).sort();
  const without = await pollUntil(() => names().length === 2, { everyMs: 5, ms: 60_000 });
  expect(without).toBe('settled');
  expect(names()).toEqual(['a.ended', 'b.ended']);
  journals.create({ ...HEAD, id: 'c' }, undefined).end(END, new Date(0));
  expect(names()).toContain('c.ended');
});
