import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/root.ts';

/** The generator needs the compiler API of TypeScript 5, so that the two have a folder of their own. */
const PACKAGES = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];
const DIRECTORY = join(ROOT, 'dist/clients/openapi-typescript');
const run = promisify(execFile);

/** Writes `v1-types.ts` and `v2-types.ts` from the documents. @returns their folder */
export async function generateTypes(): Promise<string> {
  const stamp = join(DIRECTORY, `${PACKAGES.join(' ').replaceAll('@', '-')}.installed`);
  await mkdir(DIRECTORY, { recursive: true });
  if (!existsSync(stamp)) {
    await writeFile(join(DIRECTORY, 'package.json'), '{"private":true,"type":"module"}');
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...PACKAGES], {
      cwd: DIRECTORY,
    });
    await writeFile(stamp, '');
  }
  const generator = join(DIRECTORY, 'node_modules/openapi-typescript/bin/cli.js');
  for (const surface of ['v1', 'v2']) {
    const document = join(ROOT, `docs/openapi/${surface}.json`);
    const file = join(DIRECTORY, `${surface}-types.ts`);
    await run(process.execPath, [generator, document, '--output', file]);
  }
  return DIRECTORY;
}
