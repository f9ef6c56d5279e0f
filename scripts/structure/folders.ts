import { posix } from 'node:path';

/** Files of production code that one folder may hold. */
const MOST = 15;
const PRODUCTION =
  /^(?:api|daemon|gateway|browser-mcp|computer-use|clients\/typescript)\/src\/.*(?<!\.test|\.fixture)\.ts$/;

/** Folders above the limit, as `folder: count`. */
export function crowdedFolders(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files.filter((name) => PRODUCTION.test(name))) {
    const folder = posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > MOST).map(([folder, count]) => `${folder}: ${count}`);
}
