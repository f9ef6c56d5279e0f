import { randomInt } from 'node:crypto';
import process from 'node:process';
import { expect, test } from 'vitest';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { Sandbox } from '../images/sandbox.ts';
import { fuzz } from './schemathesis.ts';

/** Requests of a whole run, of both documents together. */
const REQUESTS_MIN = 20_000;
/** Requests of the phase that generates them at random, per operation. */
const EXAMPLES = 100;
const KEY = 'the-key';
const HOURS = 3_600_000;
const SURFACES = ['v2', 'v1'] as const;
/** What a display serves, or serves otherwise. */
const OF_DISPLAY = '/(computer|display)/|/browser/(actions|screenshot|config)$';

function chosenSeed(): number {
  return Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
}

test('the documents hold against all phases of Schemathesis', { timeout: 2 * HOURS }, async () => {
  const seed = chosenSeed();
  let requests = 0;
  for (const surface of SURFACES) {
    await using sandbox = await Sandbox.start({ key: KEY, env: { SVC_API_KEY: KEY } });
    const run = await fuzz({ url: sandbox.url, key: KEY }, surface, { seed, examples: EXAMPLES });
    requests += run.requests;
    expect(run.ok, `${run.summary}\n${run.text}`).toBe(true);
  }
  process.stderr.write(`${requests} requests\n`);
  expect(requests).toBeGreaterThanOrEqual(REQUESTS_MIN);
});

test.each(SURFACES)(
  'the routes of the display hold in %s of the image with a desktop',
  { timeout: HOURS },
  async (of) => {
    await using sandbox = await Sandbox.start({ image: DESKTOP_IMAGE, key: KEY, env: { SVC_API_KEY: KEY } });
    const terms = { seed: chosenSeed(), examples: EXAMPLES, paths: OF_DISPLAY };
    const run = await fuzz({ url: sandbox.url, key: KEY }, of, terms);
    expect(run.ok, `${run.summary}\n${run.text}`).toBe(true);
    expect(run.requests).toBeGreaterThan(0);
  },
);
