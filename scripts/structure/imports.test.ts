import { expect, test } from 'vitest';
import { environmentReads, importsOf } from './imports.ts';

test.each([
  ["import a from 'x';", ['x']],
  ["import 'x';", ['x']],
  ["import type { A } from 'x';", ['x']],
  ['import {\n  a,\n  type B as C,\n} from \'x\';\nimport * as d from "y";', ['x', 'y']],
  ["import json from 'x.json' with { type: 'json' };", ['x.json']],
  [
    "export { a } from 'x'; export * from 'y'; export * as z from 'z'; export type { B } from 't';",
    ['x', 'y', 'z', 't'],
  ],
  ["const a = await import('x'); type B = import('y').B; const c = require('z');", ['x', 'y', 'z']],
  ['await import(name); await import(`x`);', ['<computed>', '<computed>']],
  [`const text = \`\${await import('x')} import 'no' \${\`\${{ a: 1 }.a}\`}\`; import 'y';`, ['x', 'y']],
  ["// import 'no'\n/* import 'no' */ const a = \"import 'no'\"; const b = 'export * from \"no\"';", []],
  ["const slash = a / b; const quote = /['\"`]/g; import 'x'; if (c) d(); /* ' */ import 'y';", ['x', 'y']],
  ["export const from = 'no'; export { from }; a.import('no'); Array.from('no'); import.meta.url;", []],
  ["export type A = 'no'; export type From = { from: 'no' };", []],
])('the modules that %j names', (source, specifiers) => {
  expect(importsOf(source).map(({ specifier }) => specifier)).toEqual(specifiers);
});

test('an import stands on the line it begins on, whatever comes before it', () => {
  const source = "/* one\n two */\nconst a = `\n$1 \n`;\nimport {\n  b,\n} from 'x';";
  expect(importsOf(source)).toEqual([{ specifier: 'x', line: 6 }]);
});

test('reading the environment is seen in its forms, and nothing else is', () => {
  const source = [
    'process.env.A;',
    'env.A; config.process.environment;',
    "process['env'].B;",
    "import { argv, env } from 'node:process';",
    "import process from 'node:process'; // process.env",
    'globalThis.process.env;',
  ].join('\n');
  expect(environmentReads(source)).toEqual([1, 3, 4, 6]);
});
