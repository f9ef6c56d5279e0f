import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { generateTypes } from './openapi-types.ts';
import { checkTypes } from './type-check.ts';
import { TYPED_WORKFLOW } from './typed-workflow.ts';

const KEY = 'the-key';

test('a program with types from openapi-typescript compiles and works', { timeout: 600_000 }, async () => {
  const file = join(await generateTypes(), 'workflow.ts');
  await writeFile(file, TYPED_WORKFLOW);
  await checkTypes(file);
  const { workflow } = await import(file);
  await using directory = await tempDir();
  await using services = await Services.start({ SVC_API_KEY: KEY });
  expect(await workflow(services.url, KEY, directory.path)).toEqual(['5', 'roses', '5', 'roses', 'roses']);
});
