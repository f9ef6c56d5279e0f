import { randomInt } from 'node:crypto';
import process from 'node:process';
import { expect, test } from 'vitest';
import { Sandbox } from '../images/sandbox.ts';
import { fuzz } from './schemathesis.ts';

/** Requests of a whole run, of both documents together. */
const REQUESTS_MIN = 20_000;
/** Requests of the phase that generates them at random, per operation. */
const EXAMPLES = 100;
const KEY = 'the-key';
const HOURS = 3_600_000;

test('the documents hold against all phases of Schemathesis', { timeout: 2 * HOURS }, async () => {
  const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
  let requests = 0;
  for (const surface of ['v2', 'v1'] as const) {
    await using sandbox = await Sandbox.start({ key: KEY, env: { SVC_API_KEY: KEY } });
    const run = await fuzz({ url: sandbox.url, key: KEY }, surface, { seed, examples: EXAMPLES });
    requests += run.requests;
    expect(run.ok, run.text).toBe(true);
  }
  process.stderr.write(`${requests} requests\n`);
  expect(requests).toBeGreaterThanOrEqual(REQUESTS_MIN);
});
