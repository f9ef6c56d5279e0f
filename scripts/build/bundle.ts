import { resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

/** A program that becomes one file in the output directory. */
export interface Program {
  /** Name of the file, without its ending. */
  readonly name: string;
  /** Module that runs the program when it is imported, relative to the root. */
  readonly main: string;
}

const STUB = 'start:';

/**
 * Writes `<name>.mjs` for each program, with lazily imported parts beside it under `chunks/`.
 * @returns the files written, relative to `outDir`
 */
export async function bundle(root: string, programs: readonly Program[], outDir: string): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    external: [/^@lydell\/node-pty/],
    input: Object.fromEntries(programs.map(({ name }) => [name, STUB + name])),
    plugins: [stubs(root, programs)],
  });
  try {
    const { output } = await build.write({
      dir: outDir,
      format: 'esm',
      sourcemap: true,
      minify: false,
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunks/[name]-[hash].mjs',
    });
    return output.map(({ fileName }) => fileName);
  } finally {
    await build.close();
  }
}

/**
 * The entry of each program turns the compile cache on and then imports the program itself: a module that is
 * compiled before that would miss the cache. A cache directory that cannot be written is no error.
 */
function stubs(root: string, programs: readonly Program[]): Plugin {
  return {
    name: 'stubs',
    resolveId: (source) => (source.startsWith(STUB) ? source : null),
    load(id) {
      const program = programs.find(({ name }) => id === STUB + name);
      if (!program) return null;
      return `import { enableCompileCache } from 'node:module';
        import { join } from 'node:path';
        enableCompileCache(join(import.meta.dirname, '.cache'));
        await import(${JSON.stringify(resolve(root, program.main))});`;
    },
  };
}
