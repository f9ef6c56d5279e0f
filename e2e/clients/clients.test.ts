import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectValid } from '../../daemon/src/wire.fixture.ts';
import { ROOT } from '../../scripts/root.ts';
import { driveTypescript } from './drive-typescript.ts';
import { generateClient } from './generate-client.ts';
import { drivePython, pythonWithClient } from './python.ts';
import { startedServices } from './started-services.ts';
import { importChecked } from './type-check.ts';

const CALLERS = 32;
const TIMEOUT = { timeout: 600_000 };
const KEYS = [
  ['without a key', ''],
  ['with a key', 'the-key'],
] as const;

test.each(KEYS)('the published Python client works %s, synchronous and asynchronous', TIMEOUT, async (_name, key) => {
  const python = await pythonWithClient();
  await using service = await startedServices(key);
  for (const mode of ['sync', 'async'] as const) {
    expect(await drivePython(python, service, mode, CALLERS)).toBe('passed\n');
  }
});

test.each(KEYS)('a client that is generated from the schemas of 1.x works %s', TIMEOUT, async (_name, key) => {
  const wire = JSON.parse(await readFile(join(ROOT, 'docs/openapi/1.x-wire.json'), 'utf8'));
  const module = await importChecked(
    generateClient(
      wire,
      ['bash', 'shell', 'code', 'nodejs', 'jupyter', 'browser', 'display', 'file', 'sandbox'].map(
        (name) => `/v1/${name}`,
      ),
    ),
  );
  await using service = await startedServices(key);
  const headers = { 'x-fern-language': 'TypeScript', ...(key !== '' && { 'x-api-key': key }) };
  await driveTypescript(new module.Client(service.url, headers, expectValid), CALLERS, service.hasDisplay);
});
