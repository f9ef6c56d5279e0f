import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { SYNCHRONOUS } from './synchronous-calls.ts';
import { trackedFiles } from './tracked-files.ts';

/** Production code of the services. */
const PRODUCTION = /^(?:program|api|daemon|gateway|browser-mcp|computer-use)\/src\/.*(?<!\.test|\.fixture|\.d)\.ts$/;
/** Of node:fs, node:child_process, node:zlib and node:crypto, and of packages that follow the same custom. */
const CALL = /\b[a-z]\w*Sync(?:\.native)?\(/;
const COMMENT = /^\s*(?:\*|\/\*|\/\/).*$/gm;
/** Calls that wait for a program, a password's hash or a packer: milliseconds and more, whatever the input. */
const NEVER =
  /\b(?:execSync|execFileSync|spawnSync|scryptSync|pbkdf2Sync|fsyncSync|fdatasyncSync|cpSync|(?:g?un)?zipSync|gzipSync|deflateSync|inflateSync|brotli\w+Sync)\(/;
/** Files that may: `fsync` of records that replace a file, and a thread of its own for documents. */
const SLOW =
  /^daemon\/src\/(?:core\/(?:access\/claim\/claim-record|records\/[\w-]+)|capabilities\/files\/documents\/[\w-]+)\.ts$/;

async function callers(pattern: RegExp): Promise<string[]> {
  const files = (await trackedFiles()).filter((file) => PRODUCTION.test(file));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const));
  return texts.filter(([, text]) => pattern.test(text.replaceAll(COMMENT, ''))).map(([file]) => file);
}

test('[work.synchronous] each file with synchronous calls is listed with their bound', async () => {
  const listed = SYNCHRONOUS.flatMap(({ files }) => files.trim().split(/\s+/));
  expect(new Set(listed).size).toBe(listed.length);
  expect((await callers(CALL)).sort()).toEqual(listed.sort());
});

test('[work.synchronous] no request waits for a program, a hash, a packer or the disk on the event loop', async () => {
  expect((await callers(NEVER)).filter((file) => !SLOW.test(file))).toEqual([]);
});
