import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { readConfig } from '../../config.ts';
import { Cached } from './cached.ts';
import { mergeReports, type Surveyed, surveyOf } from './survey.ts';

test('calls at once share one maker, a young value is kept, and fresh makes another', async () => {
  let made = 0;
  const cached = new Cached(60_000, async () => ++made);
  expect(await Promise.all([cached.get(), cached.get(true), cached.get()])).toEqual([1, 1, 1]);
  expect(await cached.get()).toBe(1);
  expect(await cached.get(true)).toBe(2);
});

test('a value that is too old, and a failure, are made again', async () => {
  let made = 0;
  const expired = new Cached(0, async () => ++made);
  expect([await expired.get(), await expired.get()]).toEqual([1, 2]);
  let tries = 0;
  const failing = new Cached(60_000, async () => {
    tries += 1;
    if (tries === 1) throw new Error('the first');
    return tries;
  });
  await expect(failing.get()).rejects.toThrow('the first');
  expect(await failing.get()).toBe(2);
});

test('sections of one name are merged by field', () => {
  expect(mergeReports([{ exec: { pty: true } }, { files: true, exec: { rg: false } }])).toEqual({
    exec: { pty: true, rg: false },
    files: true,
  });
});

test('a capability whose probe throws and whose report throws spoils no other', async () => {
  const broken: Surveyed = {
    name: 'broken',
    probe: () => Promise.reject(new Error('no')),
    report: () => {
      throw new Error('no');
    },
  };
  const whole: Surveyed = { name: 'whole', probe: undefined, report: (finding) => ({ whole: finding === undefined }) };
  const { checks, report } = await surveyOf(readConfig([], {}), [], [broken, whole]).look(false);
  expect(report).toEqual({ whole: true });
  expect(checks).toContainEqual({ name: 'broken', ok: false, required: true, detail: 'Error: no' });
});

test('[sandbox.doctor] capabilities have what doctor examines, and then what the probes did', async () => {
  await using daemon = await TestApp.start();
  const { checks } = (await daemon.inject('/v2/sandbox')).json().data.capabilities;
  const names = checks.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['shell', 'runtime directory', 'files', 'commands', 'terminals']));
  expect(names.indexOf('runtime directory')).toBeLessThan(names.indexOf('files'));
});
