import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = `
  const { SeededRandom } = await import(${JSON.stringify(join(import.meta.dirname, 'seeded-random.ts'))});
  const random = new SeededRandom('input');
  const numbers = Array.from({ length: 1000 }, () => random.below(7));
  process.stdout.write(numbers.join('') + random.bytes(200_000).toString('hex'));`;

function run(seed?: string): Promise<{ stdout: string; stderr: string }> {
  const { TEST_SEED: _, ...env } = process.env;
  const options = { env: seed === undefined ? env : { ...env, TEST_SEED: seed }, maxBuffer: 1024 ** 2 };
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], options);
}

test('the seed that is printed replays the input, and each run without it has another', async () => {
  const [first, other] = await Promise.all([run(), run()]);
  const [, seed = ''] = /^input: TEST_SEED=(\d+) replays it\n$/.exec(first.stderr) ?? [];
  expect((await run(seed)).stdout).toBe(first.stdout);
  expect(other.stdout).not.toBe(first.stdout);
  expect(new Set(first.stdout.slice(0, 1000))).toEqual(new Set('0123456'));
});
