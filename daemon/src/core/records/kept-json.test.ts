import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { KeptJson } from './kept-json.ts';
import { RuntimeSpace } from './runtime-space.ts';

test('[records.kept-json] a next daemon finds the value; a damaged file counts as missing', async () => {
  await using place = await tempDir();
  const path = join(place.path, 'f.json');
  const open = () => new KeptJson<readonly string[]>(new RuntimeSpace(place.path), path, ['initial']);
  expect(open().value).toEqual(['initial']);
  open().set(['a']);
  expect(open().value).toEqual(['a']);
  writeFileSync(path, '["b"');
  expect(open().value).toEqual(['initial']);
});

test('[records.kept-json] if the file cannot be written, neither it nor the value changes', async () => {
  await using place = await tempDir();
  const path = join(place.path, 'f.json');
  const kept = new KeptJson(new RuntimeSpace(place.path), path, 0);
  kept.set(1);
  mkdirSync(`${path}.next`);
  expect(() => kept.set(2)).toThrow('nothing can be recorded in the runtime directory');
  expect([kept.value, readFileSync(path, 'utf8')]).toEqual([1, '1']);
  rmdirSync(`${path}.next`);
  kept.set(3);
  expect([kept.value, readFileSync(path, 'utf8')]).toEqual([3, '3']);
});
