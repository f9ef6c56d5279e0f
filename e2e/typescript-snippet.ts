import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../scripts/root.ts';

/** Runs a snippet of a document with `@sandbox/client` from its sources. @returns what it prints */
export async function runTypeScript(
  text: string,
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const home = join(directory, 'node_modules/@sandbox/client');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'package.json'), '{"name":"@sandbox/client","type":"module","exports":"./index.js"}');
  const source = pathToFileURL(join(ROOT, 'clients/typescript/src/index.ts')).href;
  await writeFile(join(home, 'index.js'), `export * from '${source}';\n`);
  await writeFile(join(directory, 'first.ts'), text);
  return (await promisify(execFile)(process.execPath, ['first.ts'], { cwd: directory, env })).stdout;
}
