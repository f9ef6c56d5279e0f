import { join } from 'node:path';
import { compile } from './compile.ts';

const FOLDER = 'daemon/keeper';
const INPUTS = [`${FOLDER}/**/*.{c,h}`, 'scripts/build/{compile,keeper}.ts'];
/** The program that watches (`docs/keeper.md`, Watching): what it is named after the keeper, and its sources. */
const WATCH = { suffix: '-watch', sources: ['watch/*.c', 'base/frame.c', 'base/log.c'] };
/** The program that walks, reads and changes a tree as an account (`docs/keeper.md`, Trees). */
const TREE = { suffix: '-tree', sources: ['tree/*.c', 'base/frame.c', 'base/log.c'] };

/** Characters of the digest that name a build. */
const BUILD_CHARACTERS = 16;

interface Variant {
  readonly name: string;
  readonly flags: readonly string[];
  /** The compiler's command; default: the first known one on PATH. */
  readonly compiler?: string | undefined;
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
 * Compiles the process keeper and the programs beside it if their inputs have changed; Linux only.
 * @returns `'no compiler'` if none can be run: then the portable host serves
 * @throws Error with the compiler's output
 */
export function buildKeeper(
  root: string,
  { name, flags, compiler }: Variant = KEEPER,
  outDir: string = join(root, 'dist'),
): ReturnType<typeof compile> {
  const inFolder = (source: string): string => join(FOLDER, source);
  return compile({
    root,
    stamp: join(outDir, `.${name}.digest`),
    inputs: INPUTS,
    targets: [
      { path: join(outDir, name), sources: ['*.c', '!(watch|tree)/*.c'].map(inFolder) },
      ...[WATCH, TREE].map(({ suffix, sources }) => ({
        path: join(outDir, name + suffix),
        sources: sources.map(inFolder),
      })),
    ],
    flags: (digest) => [`-I${FOLDER}`, '-pthread', `-DKEEPER_BUILD="${digest.slice(0, BUILD_CHARACTERS)}"`, ...flags],
    compiler,
  });
}
