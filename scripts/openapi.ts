import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { page as commandLinePage } from '../clients/typescript/src/cli/help.ts';
import { openapiDocument } from '../daemon/src/openapi-document.ts';
import { wireTypes } from './clients/wire-types.ts';
import { ROOT } from './root.ts';

/** Levels of a document that are written on lines of their own: section, path or kind of component, operation or name. */
const LEVELS = 3;

/** Returns JSON with one operation or schema per line, so that a review shows what changed. */
function operationPerLine(value: unknown, level = 0): string {
  if (level === LEVELS || typeof value !== 'object' || value === null || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const indent = ' '.repeat(level + 1);
  const members = Object.entries(value).map(
    ([name, member]) => `${indent}${JSON.stringify(name)}: ${operationPerLine(member, level + 1)}`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${' '.repeat(level)}}`;
}

const directory = join(ROOT, 'docs/openapi');
await mkdir(directory, { recursive: true });
for (const surface of ['v1', 'v2'] as const) {
  const document = (await openapiDocument(surface)) as {
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  await writeFile(join(directory, `${surface}.json`), `${operationPerLine(document)}\n`);
  if (surface === 'v1') continue;
  await writeFile(join(ROOT, 'clients/typescript/src/wire.ts'), wireTypes(document.components.schemas));
}
await writeFile(join(ROOT, 'docs/cli.md'), commandLinePage());
