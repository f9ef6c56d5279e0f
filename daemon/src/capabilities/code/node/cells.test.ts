import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';
import { resultOf } from '../cells.fixture.ts';
import { cellsOf, failureOf } from '../languages.fixture.ts';

const PATIENCE_MS = 60_000;

test('[js.bindings] [js.value] bindings stay, may be declared again, and a cell awaits', async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript');
  expect(resultOf(await run('let x = 1; const c = { a: [1, { b: 2 }] }; class K {}; x + 1'))).toBe('2');
  expect(resultOf(await run('let x = await Promise.resolve(5); function f() { return x * 2 } c'))).toBe(
    '{ a: [ 1, { b: 2 } ] }',
  );
  expect(resultOf(await run('const c = f(); String(c)'))).toBe("'10'");
  expect(resultOf(await run('[new K(), 10n, -0, NaN, Symbol("s"), new Map([[1, 2]])]'))).toBe(
    '[ K {}, 10n, -0, NaN, Symbol(s), Map(1) { 1 => 2 } ]',
  );
  for (const value of ['10n', '-0', 'NaN', 'Infinity', 'null', 'true']) expect(resultOf(await run(value))).toBe(value);
  const nothing = await run('let y = 3');
  expect(nothing).toMatchObject({ status: 'ok', exit_code: 0, outputs: [], execution_count: 11 });
  expect(resultOf(await run('({ get boom() { throw 1 } })'))).toBe('{ boom: [Getter] }');
});

test('[js.modules] modules are found in the directory of the session', { timeout: PATIENCE_MS }, async () => {
  await using directory = await tempDir();
  const home = directory.path;
  await mkdir(join(home, 'node_modules/esm'), { recursive: true });
  await mkdir(join(home, 'node_modules/cjs'));
  const manifest = { name: 'esm', type: 'module', exports: { import: './index.js' } };
  await writeFile(join(home, 'node_modules/esm/package.json'), JSON.stringify(manifest));
  await writeFile(join(home, 'node_modules/esm/index.js'), 'export default "d"; export const named = import.meta.url;');
  await writeFile(join(home, 'node_modules/cjs/index.js'), 'exports.word = "c"');
  await writeFile(join(home, 'local.mjs'), 'export const local = 7;');
  await writeFile(join(home, 'data.json'), '{"k": 1}');
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript', { session_id: 's', cwd: home });
  const code = [
    'import fs, { readFileSync as read } from "node:fs";',
    'import word, {',
    '  named,',
    '} from "esm";',
    'import * as path from "path";',
    'import { local } from "./local.mjs";',
    'import data from "./data.json" with { type: "json" };',
    'export const exported = 1;',
    'const found = [typeof fs.statSync, typeof read, word, named.endsWith("index.js"), path.sep, local, data.k, exported];',
    'JSON.stringify(found)',
  ];
  const value = `'["function","function","d",true,"/",7,1,1]'`;
  expect(resultOf(await run(code.join('\n')))).toBe(value);
  expect(resultOf(await run(code.join('\n')))).toBe(value);
  expect(
    resultOf(await run('const text = "import x from y"; require("cjs").word + (await import("esm")).default')),
  ).toBe("'cd'");
  expect(resultOf(await run('import.meta.dirname === __dirname && import.meta.url.endsWith("cell.js")'))).toBe('true');
  const missing = failureOf(await run('\nimport { nope } from "fs"'));
  expect(missing).toMatchObject({
    ename: 'SyntaxError',
    traceback: expect.stringMatching(/'nope'[\s\S]*cell-5\.js:2/),
  });
  expect(failureOf(await run('import "not-there"'))?.evalue).toContain('not-there');
});

test('[js.errors] a stack has the lines of the code, and nothing of the interpreter', async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript');
  const thrown = failureOf(await run('function f() {\n  throw new TypeError("boo")\n}\n\nf()'));
  expect(thrown).toEqual({
    ename: 'TypeError',
    evalue: 'boo',
    traceback: 'TypeError: boo\n    at f (cell-1.js:2:9)\n    at cell-1.js:5:1',
  });
  const later = failureOf(await run('await null;\nf()'));
  expect(later?.traceback).toBe('TypeError: boo\n    at f (cell-1.js:2:9)\n    at cell-2.js:2:1');
  const syntax = failureOf(await run('1;\n  let let'));
  expect(syntax?.traceback).toMatch(/^cell-3\.js:2\n {2}let let\n {6}\^\n\nSyntaxError: let is disallowed[^\n]*$/);
  const module = failureOf(await run('import x from "fs";\nlet a = ;'));
  expect(module).toMatchObject({ ename: 'SyntaxError', traceback: expect.stringContaining('let a = ;\n        ^') });
  const chained = failureOf(await run('throw new Error("outer", { cause: new RangeError("inner") })'));
  expect(chained?.traceback).toMatch(/Error: outer[\s\S]*\[cause\]: RangeError: inner/);
  expect(failureOf(await run('throw "text"'))).toMatchObject({ ename: 'Uncaught', evalue: "'text'" });
  const odd = 'throw Object.defineProperty(new Error("m"), "name", { get() { throw 1 } })';
  expect(failureOf(await run(odd))).toMatchObject({ evalue: 'm' });
  expect((await run('1')).status).toBe('ok');
});

test('[js.streams] [js.late] what programs print is part of the cell; between two cells it is dropped', async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript');
  const cell = await run(`
    console.log('one'); console.error('two'); process.stdout.write('€'.slice(0, 1));
    require('child_process').execSync('printf three; printf four >&2', { stdio: 'inherit' });
    require('fs').writeSync(1, 'five');`);
  expect(cell).toMatchObject({ stdout: 'one\n€threefive', stderr: 'two\nfour' });
  await run('var printed = new Promise(done => setTimeout(() => { console.log("late"); done() }, 30))');
  const pid = Number(resultOf(await run('process.pid')));
  expect(pid).toBeGreaterThan(1);
  const after = await run('await printed; console.log("mine")');
  expect(after.stdout).toMatch(/^(?:late\n)?mine\n$/);
});

test('[ts.types] [ts.lines] types are erased, enums translated, and lines are the author’s', async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'typescript');
  expect(resultOf(await run('interface I { a: number }\nconst i: I = { a: 1 };\ni.a as number'))).toBe('1');
  expect(resultOf(await cellsOf(daemon, 'javascript')('i'))).toBe('{ a: 1 }');
  expect(resultOf(await run('enum E { A = 4 }\nnamespace N { export const b = E.A }\nN.b'))).toBe('4');
  const translated =
    "enum F { A }\n\n\n/* a comment */\nfunction g(x: number): never {\n  throw new Error('n' + x);\n}\n\ng(F.A);";
  expect(failureOf(await run(translated))?.traceback).toMatch(
    /^Error: n0\n {4}at g \(cell-4\.ts:6:\d+\)\n {4}at cell-4\.ts:9:/,
  );
  const erased = failureOf(await run('const n: number = 1;\nthrow new Error(String(n))'));
  expect(erased?.traceback).toContain('at cell-5.ts:2:7');
  expect(failureOf(await run('const x: = 3'))).toMatchObject({ ename: 'SyntaxError' });
  expect(resultOf(await run('import { join } from "node:path"; import type { Stats } from "fs"; join("a", "b")'))).toBe(
    "'a/b'",
  );
});

test('[js.one-off] a cell without a session runs as a script does', { timeout: PATIENCE_MS }, async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'javascript', {});
  const timers = await run('setTimeout(() => console.log("timer"), 30); "value"');
  expect(timers).toMatchObject({ status: 'ok', exit_code: 0, stdout: 'timer\n', session_id: null });
  expect(resultOf(timers)).toBe("'value'");
  expect(await run('setTimeout(() => { throw new Error("async") }, 10)')).toMatchObject({
    status: 'error',
    exit_code: 1,
  });
  expect(failureOf(await run('Promise.reject(new RangeError("r"))'))).toMatchObject({ ename: 'RangeError' });
  expect(await run('console.log("x"); process.exit(4)')).toMatchObject({
    status: 'error',
    exit_code: 4,
    stdout: 'x\n',
  });
  expect(await run('process.exit()')).toMatchObject({ status: 'ok', exit_code: 0, outputs: [] });
  expect(await run('setInterval(() => {}, 1000)', { timeout: 1 })).toMatchObject({ status: 'timeout' });
});

test('[js.versions] names and versions of 1.x resolve to what there is', async () => {
  await using daemon = await TestApp.start();
  const version = await daemon.run('node -p process.versions.node');
  const major = Number.parseInt(version.stdout, 10);
  for (const name of ['javascript', 'nodejs', 'js', 'node', `node${major}`]) {
    expect(await cellsOf(daemon, name, {})('1')).toMatchObject({ language: 'javascript', warnings: [] });
  }
  const other = await cellsOf(daemon, 'node99', {})('process.version');
  expect(other).toMatchObject({ status: 'ok', warnings: [expect.stringContaining('node99 is not installed')] });
  const { languages } = (await daemon.inject('/v2/code/info')).json().data;
  const names = languages.map(({ language }: { language: string }) => language);
  expect(names).toEqual(expect.arrayContaining(['javascript', 'typescript', 'bash', 'python']));
  expect(resultOf(await cellsOf(daemon, 'js', {})('process.env.USER'))).toBe(`'${identityOfCommands().name}'`);
});
