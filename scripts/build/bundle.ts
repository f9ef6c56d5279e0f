import { resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

/** A program that becomes one file in the output directory. */
export interface Program {
  /** Name of the file, without its extension. */
  readonly name: string;
  /** Module that runs the program when it is imported, relative to the root. */
  readonly main: string;
}

const STUB = 'start:';

/** Replacements for modules that load slowly and are not used. */
const INSTEAD: Readonly<Record<string, string>> = {
  // fastify and undici load HTTP/2, which no service here uses.
  'require-call:node:http2': 'module.exports = { constants: {} };',
  // fastify and ws load TLS, which is first used by a connection to another host.
  'require-call:https': onFirstUse('node:https'),
  'require-call:node:https': onFirstUse('node:https'),
  'require-call:tls': onFirstUse('node:tls'),
  // The app replaces the compilers that fastify creates.
  'require-call:@fastify/ajv-compiler': 'module.exports = () => undefined;',
  'require-call:@fastify/fast-json-stringify-compiler': 'module.exports = () => undefined;',
};

/** A module of Node's whose exports are read one by one, when they are used. */
function onFirstUse(name: string): string {
  return `module.exports = new Proxy({}, { get: (_, key) => process.getBuiltinModule("${name}")[key] });`;
}

/**
 * Writes `<name>.mjs` for each program, with lazily imported parts beside it under `chunks/`.
 * @returns the files written, relative to `outDir`
 */
export async function bundle(root: string, programs: readonly Program[], outDir: string): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    // Loaded from node_modules: native code, and a bundle of its own that finds its parts beside it.
    external: [/^@lydell\/node-pty/, /^@playwright\/mcp$/, /^playwright-core$/, /^sharp$/],
    input: Object.fromEntries(programs.map(({ name }) => [name, STUB + name])),
    plugins: [stubs(root, programs), replacements(), builtins(), latin1()],
  });
  try {
    const { output } = await build.write({
      dir: outDir,
      format: 'esm',
      sourcemap: true,
      minify: false,
      comments: { annotation: false, jsdoc: false, legal: true },
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
 * compiled before that would miss the cache. A cache directory that cannot be written is not an error.
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

function replacements(): Plugin {
  return {
    name: 'replacements',
    resolveId: (source, _importer, { kind }) => (`${kind}:${source}` in INSTEAD ? `${kind}:${source}` : null),
    load: (id) => INSTEAD[id] ?? null,
  };
}

/** One import of a module of Node's in a chunk: of its default, or of names. */
const IMPORT_OF_NODE = /^import (?:([\w$]+)|\{ ([^{}\n]+) \}) from "(node:[a-z_/]+)";$/gm;

/**
 * Importing a module of Node's reads every export it has, also the getters: of `node:http` one that loads a second HTTP
 * client, of `node:process` the standard streams, of `node:fs` its promises. Taken by name, only what is used is read.
 */
function builtins(): Plugin {
  return {
    name: 'builtins',
    renderChunk: (code) => ({
      code: code.replaceAll(IMPORT_OF_NODE, (_, all: string | undefined, some: string | undefined, module: string) => {
        const names = all ?? `{ ${some?.replaceAll(' as ', ': ')} }`;
        return `const ${names} = globalThis.process.getBuiltinModule("${module}");`;
      }),
      map: null,
    }),
  };
}

/**
 * V8 stores a string in one byte per character, or, with one character beyond Latin-1, in two; the services hold
 * theirs as long as they run. Beyond the comments such characters stand in literals alone, where they may be escaped.
 */
function latin1(): Plugin {
  return {
    name: 'latin-1',
    renderChunk: (code) => ({
      code: code.replaceAll(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
      map: null,
    }),
  };
}
