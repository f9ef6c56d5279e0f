import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestApp } from '../../../app.fixture.ts';
import { expect, test } from '../files.fixture.ts';
import { PartRegister } from './part-register.ts';

const HOUR = 3600;
/** More than a busy machine takes from setting a time to looking at it. */
const MARGIN = 120;

function putPiece(daemon: TestApp, path: string, payload: string, range: string) {
  const headers = { 'content-range': `bytes ${range}` };
  return daemon.inject({ method: 'PUT', url: '/v2/fs/upload', query: { path }, payload, headers });
}

/** The part of the one upload into a directory. */
function partIn(directory: string): string {
  const [part = '', ...others] = readdirSync(directory).filter((name) => name.endsWith('.part'));
  expect(others).toEqual([]);
  return join(directory, part);
}

/** Lets the last byte have come so many seconds ago. */
function age(path: string, seconds: number): void {
  const time = Date.now() / 1000 - seconds;
  utimesSync(path, time, time);
}

test('[fs.upload-resume-expiry] a part whose last byte came an hour ago is gone, one of less than that can be gone on with', async ({
  dir,
}) => {
  const [runtime, old, young] = [join(dir, 'runtime'), join(dir, 'old'), join(dir, 'young')];
  for (const directory of [runtime, old, young]) mkdirSync(directory, { mode: 0o700 });
  {
    await using daemon = await TestApp.start({}, runtime);
    for (const directory of [old, young]) {
      const answer = await putPiece(daemon, join(directory, 'f'), 'hel', '0-2/5');
      expect(answer.json().data).toMatchObject({ complete: false, file_size: 3 });
    }
  }
  const [oldPart, youngPart] = [partIn(old), partIn(young)];
  age(oldPart, HOUR + 1);
  age(youngPart, HOUR - MARGIN);
  await using daemon = await TestApp.start({}, runtime);
  await expect.poll(() => existsSync(oldPart)).toBe(false);
  expect(existsSync(youngPart)).toBe(true);
  const rest = await putPiece(daemon, join(young, 'f'), 'lo', '3-4/5');
  expect([rest.json().data.complete, readFileSync(join(young, 'f'), 'utf8')]).toEqual([true, 'hello']);
  const late = await putPiece(daemon, join(old, 'f'), 'lo', '3-4/5');
  expect([late.statusCode, late.json().data.size]).toEqual([409, 0]);
});

test('[fs.upload-resume-expiry] a part is removed when nothing came for its time, not before', async ({ dir }) => {
  const [notes, idle, busy] = [join(dir, 'notes'), join(dir, 'idle.part'), join(dir, 'busy.part')];
  mkdirSync(notes);
  writeFileSync(idle, 'x');
  writeFileSync(busy, 'x');
  const keptMs = 1000;
  const { mtimeMs } = statSync(idle);
  using register = new PartRegister(notes, keptMs);
  register.keep(busy);
  register.keep(idle);
  // A byte that comes later.
  age(busy, -HOUR);
  await expect.poll(() => existsSync(idle)).toBe(false);
  expect(Date.now() - mtimeMs).toBeGreaterThanOrEqual(keptMs);
  await expect.poll(() => readdirSync(notes)).toHaveLength(1);
  expect(existsSync(busy)).toBe(true);
  register.forget(busy);
  expect(readdirSync(notes)).toEqual([]);
});
