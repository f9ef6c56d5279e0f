import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { inputsDigest } from './inputs.ts';

const FOLDER = 'daemon/keeper';
const INPUTS = [`${FOLDER}/**/*.{c,h}`, 'scripts/build/keeper.ts'];
/** The program that watches (`docs/keeper.md`, Watching): what it is named after the keeper, and its sources. */
const WATCH = { suffix: '-watch', sources: ['watch/*.c', 'frame.c', 'complain.c'] };
const COMPILERS = ['cc', 'gcc', 'clang'];
const FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Werror'];

/** Characters of the digest that name a build. */
const BUILD_CHARACTERS = 16;

interface Variant {
  readonly name: string;
  readonly flags: readonly string[];
  /** The compiler's command; default: the first known one on PATH. */
  readonly compiler?: string;
}

/** The keeper that the services run. */
export const KEEPER: Variant = {
  name: 'keeper',
  flags: [
    ...['-O2', '-fPIE', '-pie', '-fstack-protector-strong'],
    // Some systems predefine it, and a different value would be a warning.
    ...['-U_FORTIFY_SOURCE', '-D_FORTIFY_SOURCE=2', '-Wl,-z,relro,-z,now'],
  ],
};

/** A second keeper for the tests: it aborts at the first undefined access or arithmetic. */
export const SANITIZED_KEEPER: Variant = {
  name: 'keeper-sanitized',
  // A child that shares memory with its parent would confuse the address sanitizer.
  flags: ['-O1', '-g', '-DKEEPER_COPIES_MEMORY', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
};

/**
 * Compiles the process keeper and the program that watches if their inputs have changed; Linux only.
 * @returns `'no compiler'` if none can be run: then the portable host serves
 * @throws Error with the compiler's output
 */
export async function buildKeeper(
  root: string,
  { name, flags, compiler: given }: Variant = KEEPER,
  outDir: string = join(root, 'dist'),
): Promise<'built' | 'up to date' | 'no compiler' | 'not Linux'> {
  if (process.platform !== 'linux') return 'not Linux';
  const programs = [
    { target: join(outDir, name), sources: ['*.c'] },
    { target: join(outDir, name + WATCH.suffix), sources: WATCH.sources },
  ];
  const stamp = join(outDir, `.${name}.digest`);
  const digest = await inputsDigest(root, INPUTS);
  const isCurrent = (await textOf(stamp)) === digest;
  const there = await Promise.all(programs.map(({ target }) => isThere(target)));
  const wanted = programs.filter((_program, index) => !isCurrent || there[index] === false);
  if (wanted.length === 0) return 'up to date';
  const compiler = await findCompiler(given === undefined ? COMPILERS : [given]);
  if (compiler === undefined) return 'no compiler';
  await mkdir(outDir, { recursive: true });
  await rm(stamp, { force: true });
  const build = `-DKEEPER_BUILD="${digest.slice(0, BUILD_CHARACTERS)}"`;
  for (const { target, sources } of wanted) {
    const files: string[] = [];
    for await (const file of glob(sources, { cwd: join(root, FOLDER) })) files.push(join(FOLDER, file));
    // A running program keeps its inode; the new file replaces the name.
    const fresh = `${target}.${process.pid}`;
    await promisify(execFile)(compiler, [...FLAGS, build, ...flags, '-o', fresh, ...files.sort()], { cwd: root });
    await rename(fresh, target);
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
