import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../files.fixture.ts';
import { PartRegister } from './part-register.ts';

test('[fs.upload-resume-expiry] a part is removed when nothing came for its time, also by a daemon that comes after', async ({
  dir,
}) => {
  const [notes, old, young] = [join(dir, 'notes'), join(dir, 'old.part'), join(dir, 'young.part')];
  mkdirSync(notes);
  writeFileSync(old, 'x');
  writeFileSync(young, 'x');
  {
    using register = new PartRegister(notes);
    register.keep(old);
    register.keep(young);
  }
  const past = Date.now() / 1000 - 3601;
  utimesSync(old, past, past);
  using register = new PartRegister(notes);
  await expect.poll(() => existsSync(old)).toBe(false);
  await expect.poll(() => readdirSync(notes)).toHaveLength(1);
  expect(existsSync(young)).toBe(true);
  register.forget(young);
  expect(readdirSync(notes)).toEqual([]);
});
