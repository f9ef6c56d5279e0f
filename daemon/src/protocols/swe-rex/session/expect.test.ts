import { expect, test } from 'vitest';
import { Expect } from './expect.ts';

const never = new AbortController().signal;
const SLOW = { pattern: '(a+)+$b' };
const TEXT = `${'a'.repeat(60)} end`;

test('[swe-rex.interactive] a slow pattern delays only other slow ones, and not the service', async () => {
  await using searches = new Expect();
  const ended: string[] = [];
  const noted = async (name: string, search: Promise<unknown>): Promise<unknown> => {
    const end = await search.catch((error: Error) => error.message);
    ended.push(name);
    return end;
  };
  const slow = Array.from({ length: 4 }, () => noted('slow', searches.firstOf([SLOW], TEXT, 0, never)));
  const quick = noted('quick', searches.firstOf([{ text: 'end' }, { pattern: 'e.' }], TEXT, 61, never));
  const turn = noted('turn', new Promise((resolve) => setImmediate(resolve)));
  expect(await quick).toEqual({ index: 0, start: 61, end: 64 });
  await turn;
  for (const one of slow) expect(await one).toContain('takes over');
  expect(ended.slice(0, 2)).toEqual(['turn', 'quick']);
});

test('[swe-rex.interactive] what occurs first is found, of texts and patterns; an abort ends the wait for a turn', async () => {
  await using searches = new Expect();
  const first = (...awaited: Parameters<Expect['firstOf']>[0]) => searches.firstOf(awaited, 'x one two 12;', 0, never);
  expect(await first({ pattern: 'two' }, { text: 'one' })).toEqual({ index: 1, start: 2, end: 5 });
  expect(await first({ pattern: 'o.e' }, { pattern: '[ot]' }, { text: 'two' })).toEqual({ index: 0, start: 2, end: 5 });
  expect(await first({ text: 'two' }, { pattern: '\\d+' }, { numbered: ' ' })).toEqual({ index: 0, start: 6, end: 9 });
  expect(await first({ pattern: 'none' }, { text: 'none' })).toBeUndefined();
  await expect(first({ pattern: '(' })).rejects.toThrow("pattern '(' is not");
  const gone = new AbortController();
  const before = searches.firstOf([SLOW], TEXT, 0, never).catch((error: Error) => error.message);
  const waiting = searches.firstOf([{ pattern: 'e' }], TEXT, 0, gone.signal);
  gone.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  expect(await before).toContain('takes over');
});
