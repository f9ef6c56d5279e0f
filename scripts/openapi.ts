import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openapiDocument } from '../daemon/src/openapi-document.ts';
import { ROOT } from './root.ts';

const directory = join(ROOT, 'docs/openapi');
await mkdir(directory, { recursive: true });
for (const surface of ['v1', 'v2'] as const) {
  await writeFile(join(directory, `${surface}.json`), `${JSON.stringify(await openapiDocument(surface), null, 2)}\n`);
}
