import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { inputsDigest } from './inputs.ts';

const COMPILERS = ['cc', 'gcc', 'clang'];
const FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Werror'];

interface Target {
  /** Absolute path. */
  readonly path: string;
  /** Patterns of its sources, relative to the root. */
  readonly sources: readonly string[];
}

export interface Compilation {
  readonly root: string;
  /** Where the digest of the inputs is kept. */
  readonly stamp: string;
  /** Patterns of all files that the targets are made of, relative to the root. */
  readonly inputs: readonly string[];
  readonly targets: readonly Target[];
  readonly flags: (digest: string) => readonly string[];
  /** The compiler's command; default: the first known one on PATH. */
  readonly compiler?: string | undefined;
}

/**
 * Compiles C programs if their inputs have changed; Linux only.
 * @returns `'no compiler'` if none can be run
 * @throws Error with the compiler's output
 */
export async function compile({
  root,
  stamp,
  inputs,
  targets,
  flags,
  compiler: given,
}: Compilation): Promise<'built' | 'up to date' | 'no compiler' | 'not Linux'> {
  if (process.platform !== 'linux') return 'not Linux';
  const digest = await inputsDigest(root, inputs);
  const isCurrent = (await textOf(stamp)) === digest;
  const there = await Promise.all(targets.map(({ path }) => isThere(path)));
  const wanted = targets.filter((_target, index) => !isCurrent || there[index] === false);
  if (wanted.length === 0) return 'up to date';
  const compiler = await findCompiler(given === undefined ? COMPILERS : [given]);
  if (compiler === undefined) return 'no compiler';
  await mkdir(join(stamp, '..'), { recursive: true });
  await rm(stamp, { force: true });
  for (const { path, sources } of wanted) {
    const files: string[] = [];
    for await (const file of glob([...sources], { cwd: root })) files.push(file);
    // A running program keeps its inode; the new file replaces the name.
    const fresh = `${path}.${process.pid}`;
    await promisify(execFile)(compiler, [...FLAGS, ...flags(digest), '-o', fresh, ...files.sort()], { cwd: root });
    await rename(fresh, path);
  }
  await writeFile(stamp, digest);
  return 'built';
}

async function findCompiler(candidates: readonly string[]): Promise<string | undefined> {
  for (const compiler of candidates) {
    const runs = await promisify(execFile)(compiler, ['--version']).catch(() => undefined);
    if (runs !== undefined) return compiler;
  }
  return undefined;
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
