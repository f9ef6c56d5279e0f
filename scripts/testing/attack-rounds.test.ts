import { expect, test } from 'vitest';
import { attackRounds } from './attack-rounds.ts';

test('one round has the fixed seed, unless one is given', async () => {
  const seeds: (string | undefined)[] = [];
  const run = async ({ ATTACK_SEED }: Readonly<Record<string, string>>): Promise<number> =>
    seeds.push(ATTACK_SEED) && 0;
  expect(await attackRounds({ seconds: 0, seed: undefined, say: () => undefined, run })).toBe(0);
  expect(await attackRounds({ seconds: 0, seed: '7', say: () => undefined, run })).toBe(0);
  expect(seeds).toEqual([undefined, '7']);
});

test('rounds have new seeds, which are printed, and end with the first that fails', async () => {
  const seeds: string[] = [];
  const said: string[] = [];
  const run = async ({ ATTACK_SEED = '' }: Readonly<Record<string, string>>): Promise<number> =>
    seeds.push(ATTACK_SEED) < 3 ? 0 : 5;
  expect(await attackRounds({ seconds: 3_600, seed: undefined, say: (line) => said.push(line), run })).toBe(5);
  expect(new Set(seeds).size).toBe(3);
  expect(said).toEqual(seeds.map((seed, at) => `round ${at + 1}: ATTACK_SEED=${seed} replays it`));
});
