import { expect, test } from 'vitest';
import { type Document, operationsOf } from '../../daemon/src/http/openapi/document.ts';
import { ExampleRun } from '../../daemon/src/http/openapi/example-run.fixture.ts';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { untilHealthy } from './observe.ts';
import { sharedSandbox } from './sandbox.ts';

const sandbox = sharedSandbox({ image: DESKTOP_IMAGE });
/** Operations of what a bare daemon lacks; its own tests execute the others. */
const TAGS = new Set(['browser', 'computer', 'code', 'jupyter', 'nodejs']);

test.each(['v2', 'v1'])(
  '[openapi.examples] %s: examples of browser, display and code are answered',
  async (surface) => {
    await untilHealthy(sandbox());
    const service = { url: sandbox().url, headers: {} };
    const document = (await (await fetch(`${service.url}/${surface}/openapi.json`)).json()) as Document;
    const run = new ExampleRun(document, service);
    const operations = operationsOf(document).filter(({ operation: { tags = [] } }) =>
      tags.some((tag) => TAGS.has(tag)),
    );
    expect(operations.length).toBeGreaterThan(25);
    const faults: Record<string, number> = {};
    for (const {
      operation: { operationId = '' },
    } of operations) {
      const status = await run.call(operationId);
      if (status !== 200) faults[operationId] = status;
    }
    expect(faults).toEqual({});
  },
);
