import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/root.ts';

/** What a generated module exports. */
interface GeneratedModule {
  readonly Client: new (
    base: string,
    headers: Record<string, string>,
    check: (schema: string, answer: unknown) => void,
  ) => unknown;
}

/** Writes a generated module, checks its types, and imports it. @throws Error with the faults that tsc finds */
export async function importChecked(source: string): Promise<GeneratedModule> {
  const directory = join(ROOT, 'dist/clients');
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'client.ts');
  await writeFile(file, source);
  await checkTypes(file);
  return import(file);
}

/** @throws Error with the faults that tsc finds */
export async function checkTypes(file: string): Promise<void> {
  const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
  const imports = ['--allowImportingTsExtensions'];
  const args = ['--ignoreConfig', ...options, ...imports, file];
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: ROOT });
}
