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
 * What the bundles have instead of some modules of Node's. Importing one reads every export it has, also the getters:
 * of `node:http` one that loads a second HTTP client. Required, it is only read where it is used. Nobody here speaks
 * HTTP/2: two packages load it for those who do, and make do without. Each takes some 10 MB and as long as the rest of
 * a small service's start.
 */
const BUILTINS: Readonly<Record<string, string>> = {
  'import-statement:node:http': 'module.exports = process.getBuiltinModule("node:http");',
  'import-statement:node:crypto': 'module.exports = process.getBuiltinModule("node:crypto");',
  'require-call:node:http2': 'module.exports = { constants: {} };',
};

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
    plugins: [stubs(root, programs), lightBuiltins()],
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

function lightBuiltins(): Plugin {
  return {
    name: 'light-builtins',
    resolveId: (source, _importer, { kind }) => (`${kind}:${source}` in BUILTINS ? `${kind}:${source}` : null),
    load: (id) => BUILTINS[id] ?? null,
  };
}
