import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import type { Program } from './bundle.ts';

/**
 * Writes a program without shared parts, for one whose start is most of its time: `<name>.cjs`, which turns the compile
 * cache on, and `<name>-program.cjs` with the rest. It runs on Node from version 20 on.
 * @returns the files written, relative to `outDir`
 */
export async function bundleAlone(root: string, { name, main }: Program, outDir: string): Promise<string[]> {
  const program = `${name}-program.cjs`;
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: { [name]: resolve(root, main) },
    transform: { target: 'es2022' },
    plugins: [builtinsOnFirstUse()],
  });
  try {
    await build.write({
      dir: outDir,
      // Node starts it faster than a module of ECMAScript, and `require` can be called on first use.
      format: 'cjs',
      codeSplitting: false,
      minify: true,
      comments: { annotation: false, jsdoc: false, legal: true },
      entryFileNames: program,
    });
  } finally {
    await build.close();
  }
  await writeFile(join(outDir, `${name}.cjs`), entry(program), { mode: 0o755 });
  return [`${name}.cjs`, program];
}

/** Node before version 22.8 has no compile cache. A cache directory that cannot be written is not an error. */
function entry(program: string): string {
  return `#!/usr/bin/env node
require('node:module').enableCompileCache?.(require('node:path').join(__dirname, '.cache'));
require('./${program}');
`;
}

/** The statements by which a chunk takes a module of Node's: all of it, and then its default. */
const REQUIRE_OF_NODE = /^(?:let|const|var) ([\w$]+) = require\("(node:[a-z_/]+)"\);$/gm;
const DEFAULT_OF_NODE = /^node_[\w$]+ = __toESM\(node_[\w$]+(?:, 1)?\);$/gm;

/** A file with all parts of a program would load what each of them uses; a module of Node's is read on first use. */
function builtinsOnFirstUse(): Plugin {
  return {
    name: 'builtins on first use',
    renderChunk: (code) => {
      const lazily = `const fromNode = (load) => new Proxy({}, {
  get: (_, key) => (key === 'default' ? load() : load()[key]),
});\n`;
      const first = code.search(REQUIRE_OF_NODE);
      if (first < 0) return null;
      return {
        code: (code.slice(0, first) + lazily + code.slice(first))
          .replaceAll(
            REQUIRE_OF_NODE,
            (_, name: string, id: string) => `const ${name} = fromNode(() => require("${id}"));`,
          )
          .replaceAll(DEFAULT_OF_NODE, ''),
        map: null,
      };
    },
  };
}
