import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileErrors, validate } from '@readme/openapi-parser';
import { expect, test } from 'vitest';
import { ROOT } from '../../../../scripts/root.ts';
import { TestApp } from '../../app.fixture.ts';

test('the v2 document is valid OpenAPI 3.1', async () => {
  await using daemon = await TestApp.start();
  const document = (await daemon.inject('/v2/openapi.json')).json();
  expect(document.openapi).toMatch(/^3\.1\./);
  const result = await validate(structuredClone(document));
  expect(result.valid || compileErrors(result)).toBe(true);
});

test('the v2 document is the pinned one (npm run docs writes it)', async () => {
  await using daemon = await TestApp.start();
  const pinned = await readFile(join(ROOT, 'docs/openapi/v2.json'), 'utf8');
  expect((await daemon.inject('/v2/openapi.json')).json()).toEqual(JSON.parse(pinned));
});

test('the document contains only the routes of the surface and the schemas that they reference', async () => {
  await using daemon = await TestApp.start();
  const { paths, components } = (await daemon.inject('/v2/openapi.json')).json();
  expect(components.schemas).toHaveProperty('RunCommandInput');
  expect(components.schemas).not.toHaveProperty('BashExecRequestInput');
  expect(paths).toHaveProperty(['/v2/commands']);
  expect(Object.keys(paths).filter((path) => path.startsWith('/v1'))).toEqual([]);
});
