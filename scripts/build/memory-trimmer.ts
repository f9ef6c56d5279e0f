import { join } from 'node:path';
import { compile } from './compile.ts';

const NAME = 'memory-trimmer';
const SOURCES = ['program/native/*.c'];

/**
 * Compiles the addon that gives freed memory back to the system if its inputs have changed; Linux only.
 * @returns `'no compiler'` if none can be run: the services then keep what was freed
 * @throws Error with the compiler's output
 */
export function buildMemoryTrimmer(root: string, outDir: string = join(root, 'dist')): ReturnType<typeof compile> {
  return compile({
    root,
    stamp: join(outDir, `.${NAME}.digest`),
    inputs: [...SOURCES, 'scripts/build/{compile,memory-trimmer}.ts'],
    targets: [{ path: join(outDir, `${NAME}.node`), sources: SOURCES }],
    flags: () => ['-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-Wl,-z,relro,-z,now'],
  });
}
