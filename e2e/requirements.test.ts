import { access, glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trackedFiles } from '../scripts/structure/tracked-files.ts';
import { coverageFaults, faultsOfRuns, idsInTitles } from './requirement-coverage.ts';
import { REQUIREMENTS } from './requirements.ts';

const ROOT = join(import.meta.dirname, '..');

async function testedIds(): Promise<Set<string>> {
  const ids = new Set<string>();
  const ignored = (name: string): boolean => name === 'node_modules' || name === 'dist';
  for await (const file of glob(
    '{program,api,daemon,gateway,browser-mcp,computer-use,clients,images,scripts,e2e}/**/*.{test,fixture}.ts',
    {
      cwd: ROOT,
      exclude: ignored,
    },
  )) {
    if (join(ROOT, file) === import.meta.filename) continue;
    for (const id of idsInTitles(await readFile(join(ROOT, file), 'utf8'))) ids.add(id);
  }
  return ids;
}

// A quick check for developers; `npm test` checks the results of its runs.
test('every requirement without waitsFor is in a title, and every id in a title is a requirement', async () => {
  expect(coverageFaults(REQUIREMENTS, await testedIds())).toEqual([]);
});

test('every row of the table in docs/security.md names requirements that have tests', async () => {
  const text = await readFile(join(ROOT, 'docs/security.md'), 'utf8');
  const table = text.slice(text.indexOf('| who | can |'), text.indexOf('## Authentication'));
  const rows = table.trim().split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(10);
  const tested = await testedIds();
  const missing = rows.flatMap((row) => {
    const ids = [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, id = '']) => id);
    return ids.length === 0 ? [row] : ids.filter((id) => !tested.has(id));
  });
  expect(missing).toEqual([]);
});

test('ids are read from the beginning of titles: several per title, over lines and modifiers', () => {
  const source = `
    test('[a.one] works', () => {});
    test.each(cases)(
      "[a.two-b] [a-x.three] works", () => {});
    it(\`[a.four] works\`, () => {});
    test('not [a.five] here', () => {});
    const text = '[a.six] is no title';
  `;
  expect(idsInTitles(source)).toEqual(['a.one', 'a.two-b', 'a-x.three', 'a.four']);
});

test('a requirement without a test, a test before its feature, a duplicate and an unknown id are faults', () => {
  const requirements = [
    { id: 'a.one', source: 's', behaviour: 'b' },
    { id: 'a.two', source: 's', behaviour: 'b', waitsFor: 'kernels' },
    { id: 'a.three', source: 's', behaviour: 'b', waitsFor: 'kernels' },
    { id: 'a.three', source: 's', behaviour: 'b', waitsFor: 'kernels' },
  ] as const;
  expect(coverageFaults(requirements, new Set(['a.two', 'a.nine']))).toEqual([
    'no test: [a.one] b (s)',
    'has a test and still waits for kernels: [a.two]',
    'named twice: [a.three]',
    'no such requirement: [a.nine]',
  ]);
});

test('a test covers the ids of its title and its groups; a skipped one only if the machine lacks something', () => {
  const requirements = ['one', 'two', 'three', 'four', 'five'].map((name) => ({
    id: `a.${name}`,
    source: 's',
    behaviour: 'b',
  }));
  const outcome = { project: 'unit', file: 'a.test.ts' } as const;
  expect(
    faultsOfRuns(requirements, [
      { ...outcome, titles: ['[a.one] of the group', 'x'], state: 'passed' },
      { ...outcome, titles: ['group', '[a.two] [a.three] x'], state: 'failed' },
      { ...outcome, titles: ['[a.four] x'], state: 'skipped' },
      { ...outcome, titles: ['[a.five] x'], state: 'skipped', lacks: 'root' },
      { ...outcome, titles: ['not [a.four] here'], state: 'passed' },
    ]),
  ).toEqual(['no test: [a.four] b (s)']);
});

test('every source of a requirement, and every section of the contract that a file cites, exists', async () => {
  const contract = await readFile(join(ROOT, 'docs/contract.md'), 'utf8');
  const sections = new Set([...contract.matchAll(/^##+ ([\d.]+?)\.? /gm)].map(([, number = '']) => number));
  expect(sections.size).toBeGreaterThan(20);
  const faults: string[] = [];
  for (const file of (await trackedFiles()).filter((name) => /\.(tsx?|md|c|h)$/.test(name))) {
    const text = await readFile(join(ROOT, file), 'utf8');
    for (const [cited, number = ''] of text.matchAll(/contract\.md §(\d+(?:\.\d+)?)/g)) {
      if (!sections.has(number)) faults.push(`${file}: ${cited}`);
    }
  }
  for (const source of new Set(REQUIREMENTS.map((requirement) => requirement.source))) {
    const [document = ''] = source.split(/[ ,]/);
    await access(join(ROOT, document)).catch(() => faults.push(`no such document: ${source}`));
  }
  expect(faults).toEqual([]);
});
