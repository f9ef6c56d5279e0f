import { join } from 'node:path';
import { compile } from './compile.ts';

const FOLDER = 'program/native';
const ADDONS = ['memory-trimmer', 'file-attributes'];

/**
 * Compiles the addons of Node if their inputs have changed; Linux only.
 * @param compiler its command; default: the first known one on PATH
 * @returns `'no compiler'` if none can be run: then freed memory is kept, and files get no extended attributes
 * @throws Error with the compiler's output
 */
export function buildAddons(
  root: string,
  outDir: string = join(root, 'dist'),
  compiler?: string,
): ReturnType<typeof compile> {
  return compile({
    root,
    stamp: join(outDir, '.addons.digest'),
    inputs: [`${FOLDER}/*.{c,h}`, 'scripts/build/{compile,addons}.ts'],
    targets: ADDONS.map((name) => ({ path: join(outDir, `${name}.node`), sources: [`${FOLDER}/${name}.c`] })),
    flags: () => ['-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-fstack-protector-strong', '-Wl,-z,relro,-z,now'],
    compiler,
  });
}
