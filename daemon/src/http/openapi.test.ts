import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileErrors, validate } from '@readme/openapi-parser';
import { expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';

test.each(['v1', 'v2'] as const)('the %s document is valid OpenAPI 3.1', async (surface) => {
  await using daemon = await TestApp.start();
  const document = (await daemon.inject(`/${surface}/openapi.json`)).json();
  expect(document.openapi).toMatch(/^3\.1\./);
  const result = await validate(structuredClone(document));
  expect(result.valid || compileErrors(result)).toBe(true);
});

test.each(['v1', 'v2'] as const)('the %s document is the pinned one (npm run docs writes it)', async (surface) => {
  await using daemon = await TestApp.start();
  const pinned = await readFile(join(import.meta.dirname, `../../../docs/openapi/${surface}.json`), 'utf8');
  expect((await daemon.inject(`/${surface}/openapi.json`)).json()).toEqual(JSON.parse(pinned));
});

test('a document holds only the schemas that its routes lead to', async () => {
  await using daemon = await TestApp.start();
  const v2 = (await daemon.inject('/v2/openapi.json')).json();
  const v1 = (await daemon.inject('/v1/openapi.json')).json();
  expect(v2.components.schemas).toHaveProperty('RunCommandInput');
  expect(v2.components.schemas).not.toHaveProperty('BashExecRequestInput');
  expect(v2.paths).toHaveProperty(['/v2/commands']);
  expect(Object.keys(v2.paths).filter((path) => path.startsWith('/v1'))).toEqual([]);
  expect(v1.paths).toHaveProperty(['/v1/bash/exec']);
  expect(Object.keys(v1.paths).filter((path) => !path.startsWith('/v1/'))).toEqual([]);
});
