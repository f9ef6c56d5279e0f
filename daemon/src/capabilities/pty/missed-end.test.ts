import { expect, test } from 'vitest';
import { noticeMissedEnd } from './missed-end.ts';

/** What looks at the screen show, one after the other, and how much output there is by the end of each. */
type Looks = readonly { readonly ps1: string; readonly column: number | undefined; readonly end: number }[];

/** Resolves once the end of the command was noticed; where it waits for output that never comes, it says so. */
async function noticed(looks: Looks): Promise<string> {
  let end = 1;
  const left = [...looks];
  const never = Promise.withResolvers<string>();
  const run = {
    status: 'running' as 'running' | 'completed',
    console: { ps1: '$ ', command: 'true', start: 0, end: null, exitCode: null },
    endUnseen: () => {
      run.status = 'completed';
    },
  };
  const history = {
    get end() {
      return end;
    },
    closed: false,
    advanced: async (at: number) => {
      if (end > at) return;
      never.resolve('waits for ever');
      await new Promise(() => {});
    },
  };
  const prompt = {
    look: async () => {
      const look = left.shift() ?? { ps1: '', column: 0, end };
      end = look.end;
      return look;
    },
  };
  const watching = noticeMissedEnd(run, { history, prompt, released: () => true }, 0);
  return await Promise.race([watching.then(() => 'noticed'), never.promise]);
}

test('the end of a command is noticed whose prompt comes while the screen is looked at', async () => {
  const looks = [
    { ps1: '', column: 0, end: 2 },
    { ps1: '$ ', column: 2, end: 2 },
  ];
  expect(await noticed(looks)).toBe('noticed');
});

test('the end of a command is noticed where the screen came up to date too late for one look', async () => {
  const looks = [
    { ps1: '', column: undefined, end: 1 },
    { ps1: '$ ', column: 2, end: 1 },
  ];
  expect(await noticed(looks)).toBe('noticed');
});

test('without its prompt a command goes on', async () => {
  expect(await noticed([{ ps1: '> ', column: 2, end: 1 }])).toBe('waits for ever');
});
