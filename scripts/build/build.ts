import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, type Program } from './bundle.ts';
import { inputsDigest } from './inputs.ts';

const PROGRAMS: readonly Program[] = [
  { name: 'sandboxd', main: 'daemon/src/main.ts' },
  { name: 'gateway', main: 'gateway/src/main.ts' },
];

interface Stamp {
  readonly digest: string;
  readonly files: readonly string[];
}

export interface BuildOptions {
  readonly programs?: readonly Program[];
  readonly outDir?: string;
}

/**
 * Bundles the programs where what they are made from has changed since the last build.
 * @returns whether anything was written
 */
export async function build(root: string, options: BuildOptions = {}): Promise<boolean> {
  const { programs = PROGRAMS, outDir = join(root, 'dist') } = options;
  const stampFile = join(outDir, '.build.json');
  const digest = await inputsDigest(root);
  const last = await readStamp(stampFile);
  if (last?.digest === digest && (await allThere(outDir, last.files))) return false;
  await mkdir(outDir, { recursive: true });
  await rm(stampFile, { force: true });
  const files = await bundle(root, programs, outDir);
  await removeChunks(outDir, new Set([...files, ...(last?.files ?? [])]));
  await writeFile(stampFile, JSON.stringify({ digest, files } satisfies Stamp));
  return true;
}

async function readStamp(file: string): Promise<Stamp | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Stamp;
  } catch {
    return undefined;
  }
}

async function allThere(outDir: string, files: readonly string[]): Promise<boolean> {
  const found = await Promise.allSettled(files.map((file) => stat(join(outDir, file))));
  return found.every(({ status }) => status === 'fulfilled');
}

/** The chunks of the last build stay: a service that still runs may import one of them later. */
async function removeChunks(outDir: string, kept: ReadonlySet<string>): Promise<void> {
  const chunks = await readdir(join(outDir, 'chunks')).catch(() => []);
  const stale = chunks.map((name) => join('chunks', name)).filter((file) => !kept.has(file));
  await Promise.all(stale.map((file) => rm(join(outDir, file), { force: true })));
}
