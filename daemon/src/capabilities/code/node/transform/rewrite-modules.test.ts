import { expect, test } from 'vitest';
import { linesOf, withAuthorsLines } from './line-map.ts';
import { rewriteModules } from './rewrite-modules.ts';

test.each([
  ['import "a"', 'await __svc_import("a", undefined, []);'],
  ['import d from "a"; d', 'const { "default": d } = await __svc_import("a", undefined, ["default"]); d'],
  ['import * as n from "a"', 'const n = await __svc_import("a", undefined, []);'],
  ['import d, * as n from "a"', 'const n = await __svc_import("a", undefined, ["default"]), { "default": d } = n;'],
  [
    'import {\n a as b,\n "x y" as c } from "a";\nb',
    'const { "a": b, "x y": c } = await __svc_import("a", undefined, ["a", "x y"]);\n\n\nb',
  ],
  [
    'import j from "./a.json" with { type: "json" }',
    'const { "default": j } = await __svc_import("./a.json", { with: { "type": "json" } }, ["default"]);',
  ],
  ['f(import(import.meta.url + x))', 'f(__svc_import(__svc_meta.url + x))'],
  ['export const a = 1, b = 2;', 'const a = 1, b = 2;'],
  ['export default function f() {}', 'function f() {}'],
  ['export default class {}', ';class {}'],
  ['export { a };\n1', ';\n1'],
  ['export * from "a"', ';'],
  ['"import x from y"; `import`; // import z', '"import x from y"; `import`; // import z'],
  ['with (o) { import("a") }', 'with (o) { __svc_import("a") }'],
])('[js.modules] %j becomes %j', (code, expected) => {
  expect(rewriteModules(code)).toBe(expected);
});

test('[js.modules] deep and long code is rewritten without recursion over it', () => {
  const long = `import a from "a";\n${'f(1);\n'.repeat(50_000)}import("b")`;
  expect(rewriteModules(long).endsWith('__svc_import("b")')).toBe(true);
  expect(() => rewriteModules('import a from "a"; let = ;')).toThrow(SyntaxError);
});

test('[ts.lines] lines of a script are replaced by those of its author', () => {
  expect(withAuthorsLines('at f (cell-1.ts:2:9) cell-1.ts:1 cell-1.ts: cell-1.ts:99:1', 'cell-1.ts', [4, 7])).toBe(
    'at f (cell-1.ts:7:9) cell-1.ts:4 cell-1.ts: cell-1.ts:99:1',
  );
  expect(linesOf('a\nb')).toEqual({ code: 'a\nb', lines: [1, 2] });
});
