import { join } from 'node:path';
import { compile } from './compile.ts';

const SOURCES = ['daemon/init/*.c'];

/**
 * Compiles the program of a bundle (docs/embedding.md), which needs no C library, if its inputs have changed; Linux only.
 * @param file absolute path of the program
 * @param compiler its command; default: the first known one on PATH
 * @returns `'no compiler'` if none can be run
 * @throws Error with the compiler's output
 */
export function buildInit(root: string, file: string, compiler?: string): ReturnType<typeof compile> {
  return compile({
    root,
    stamp: join(file, '../.init.digest'),
    inputs: ['daemon/init/*.{c,h}', 'scripts/build/{compile,init}.ts'],
    targets: [{ path: file, sources: SOURCES }],
    flags: () => ['-O2', '-fPIE', '-static-pie', '-fstack-protector-strong', '-Wl,-z,relro,-z,now'],
    compiler,
  });
}
