import { describe, expect, test } from 'vitest';
import { type Document, operationsOf } from '../../daemon/src/http/openapi/document.ts';
import { ExampleRun } from '../../daemon/src/http/openapi/example-run.fixture.ts';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { untilHealthy } from './observe.ts';
import { sharedSandbox } from './sandbox.ts';

/** Operations of what a bare daemon lacks, by the image that has it; the daemon's own tests execute the others. */
const IMAGES = [
  { title: 'browser and code', image: DAEMON_IMAGE, tags: ['browser', 'code', 'jupyter', 'nodejs'] },
  { title: 'the display', image: DESKTOP_IMAGE, tags: ['computer'] },
] as const;

describe.each(IMAGES)('$title', ({ image, tags }) => {
  const sandbox = sharedSandbox({ image });
  const wanted = new Set<string>(tags);

  test.each(['v2', 'v1'])('[openapi.examples] each example of %s is answered with success', async (surface) => {
    await untilHealthy(sandbox());
    const { url } = sandbox();
    const document = (await (await fetch(`${url}/${surface}/openapi.json`)).json()) as Document;
    const run = new ExampleRun(document, { url });
    const faults: Record<string, number> = {};
    const operations = operationsOf(document).filter(({ operation }) => operation.tags?.some((tag) => wanted.has(tag)));
    expect(operations.length).toBeGreaterThan(0);
    for (const { operation } of operations) {
      const { operationId = '' } = operation;
      const status = await run.call(operationId);
      if (status !== 200) faults[operationId] = status;
    }
    expect(faults).toEqual({});
  });
});
