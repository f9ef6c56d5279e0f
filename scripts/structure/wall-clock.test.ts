import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { trackedFiles } from './tracked-files.ts';
import { WALL_CLOCK_USES } from './wall-clock-uses.ts';

/** Production code of the services and pages, and the programs of the image. */
const PRODUCTION =
  /^(?:(?:program|api|daemon|gateway|browser-mcp|computer-use)\/src\/.*(?<!\.test|\.fixture|\.d)\.ts|gateway\/pages\/.*(?<!\.test)\.ts|(?:supervisord|hooks|images)\/.*\.py)$/;
const READING =
  /\bDate\.now\b|\bnew Date\(\)|\bnew Date\b(?!\()|\bDate\(\)|\btimeOrigin\b|\btime\.time\b|\bdatetime\.now\b/;
const COMMENT = /^\s*(?:\*|\/\*|\/\/|#).*$/gm;

test('[clock.listed] each file that reads the wall clock is listed with the reason', async () => {
  const files = (await trackedFiles()).filter((file) => PRODUCTION.test(file));
  expect(files.length).toBeGreaterThan(500);
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const));
  const readers = texts.filter(([, text]) => READING.test(text.replaceAll(COMMENT, ''))).map(([file]) => file);
  const listed = WALL_CLOCK_USES.flatMap(({ files: some }) => some.trim().split(/\s+/));
  expect(new Set(listed).size).toBe(listed.length);
  expect(readers.sort()).toEqual(listed.sort());
});

test.each([
  ['const a = Date.now();', true],
  ['const clock = Date.now;', true],
  ['const b = new Date();', true],
  ['const c = new Date(record.startedAt);', false],
  ['const d: Date = at;', false],
  ['const e = performance.now();', false],
  ['const f = performance.timeOrigin;', true],
  ['now = time.time()', true],
  ['now = time.monotonic()', false],
])('[clock.listed] %s reads the wall clock: %s', (text, isReading) => {
  expect(READING.test(text)).toBe(isReading);
});
