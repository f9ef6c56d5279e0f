import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { DocumentUnderTest } from './document.fixture.ts';
import { operationsOf } from './document.ts';
import { ExampleRun } from './example-run.fixture.ts';

/** More than a hundred commands, terminals and requests, on a machine that may be busy. */
const PATIENCE = { timeout: 300_000 };
const SURFACES = ['v2', 'v1'] as const;
/** What a bare daemon lacks: a browser, a display and kernels; e2e/images executes these. */
const IN_IMAGE = new Set(['browser', 'computer', 'code', 'jupyter', 'nodejs']);
/** A claim needs the token that the operator of a pool has put there. */
/** Nothing listens on the port of the example, and no process has its pid. */
const EXPECTED = { v2: { claimSandbox: 401, connectPort: 503, signalSystemProcess: 404 }, v1: {} } as const;

test.each(SURFACES)('[openapi.examples] %s: each required parameter and body has a valid example', async (surface) => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, surface);
  const faults: string[] = [];
  let count = 0;
  for (const { operationId, parameters = [], requestBody } of document.operations()) {
    for (const { name, required, schema, example } of parameters) {
      if (required && !document.matches(schema, example ?? null)) faults.push(`${operationId}: ${name}`);
    }
    const { schema, example } = requestBody?.content['application/json'] ?? {};
    if (schema === undefined) continue;
    count += 1;
    if (example === undefined || !document.matches(schema, example)) faults.push(`${operationId}: body`);
  }
  expect(faults).toEqual([]);
  expect(count).toBeGreaterThan(30);
});

test.each(SURFACES)('[openapi.examples] %s: each example is answered with success', PATIENCE, async (surface) => {
  await using daemon = await TestApp.start({ record: 'on' });
  const { document } = await DocumentUnderTest.read(daemon, surface);
  const run = new ExampleRun(document, { url: await daemon.listen() });
  const operations = operationsOf(document).filter(
    ({ operation: { tags = [] } }) => !tags.some((tag) => IN_IMAGE.has(tag)),
  );
  expect(operations.length).toBeGreaterThan(35);
  const faults: Record<string, number> = {};
  for (const {
    operation: { operationId = '' },
  } of operations) {
    const status = await run.call(operationId);
    if (status !== 101 && (status < 200 || status > 299)) faults[operationId] = status;
  }
  expect(faults).toEqual(EXPECTED[surface]);
});
