import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const INPUTS = [
  '{program,api,daemon,gateway,browser-mcp,computer-use,clients/typescript}/{package.json,product.json,src/**/*.{ts,json}}',
  '{daemon,gateway}/pages/**/*.*',
  'scripts/build/*.ts',
  'package-lock.json',
];

/** A digest of all inputs of the bundles; tests are not among them. */
export async function inputsDigest(root: string, patterns: readonly string[] = INPUTS): Promise<string> {
  const files: string[] = [];
  for await (const file of glob([...patterns], { cwd: root })) if (!file.endsWith('.test.ts')) files.push(file);
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const content = await readFile(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
