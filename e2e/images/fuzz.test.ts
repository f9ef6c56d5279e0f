import process from 'node:process';
import { expect, test } from 'vitest';
import { has } from '../../scripts/testing/machine.ts';
import { fuzz } from '../fuzz/schemathesis.ts';
import { sharedSandbox } from './sandbox.ts';

const KEY = 'the-key';
const sandbox = sharedSandbox({ key: KEY, env: { SVC_API_KEY: KEY } });
/** Of each document; `npm run test:fuzz` tests them whole. */
const SECONDS = 60;
/** Requests for each operation before the next round. */
const EXAMPLES = 3;
/** Shows that it ran; how many fit into a minute depends on the machine. */
const REQUESTS_MIN = 20;
/** The same each time; `npm run test:fuzz` takes a new one. */
const SEED = 20_261_122;

test.runIf(has('registries')).each(['v2', 'v1'] as const)(
  '[openapi.fuzz] random requests find nothing that contradicts the document of %s',
  { timeout: 300_000 },
  async (surface) => {
    const seed = Number(process.env['TEST_SEED'] ?? SEED);
    const run = await fuzz({ url: sandbox().url, key: KEY }, surface, { seed, examples: EXAMPLES, seconds: SECONDS });
    expect(run.ok, `TEST_SEED=${seed} replays it: ${run.summary}\n${run.text}`).toBe(true);
    expect(run.requests).toBeGreaterThan(REQUESTS_MIN);
  },
);
