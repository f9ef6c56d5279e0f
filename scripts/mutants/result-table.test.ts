import { expect, test } from 'vitest';
import { complaints, type Result, resultLine, resultTable } from './result-table.ts';
import type { Verdict } from './verdict.ts';

function result(name: string, verdict: Verdict): Result {
  const [areaName = '', id = ''] = name.split('/');
  const mutant = { id, file: 'a.ts', text: '<', replacement: '>' };
  return { candidate: { area: { name: areaName, tests: [], mutants: [mutant] }, mutant, name }, verdict, seconds: 2 };
}

const KILLED = result('x/a', { kind: 'killed', file: 'a.test.ts', test: 'b' });
const HUNG = result('x/b', { kind: 'hung' });
const SURVIVED = result('y/c', { kind: 'survived' });
const UNCLEAR = result('y/d', { kind: 'unclear', reason: 'no test ran' });

test('a line says which test killed a mutant, that the tests hang, or that it survived', () => {
  expect([KILLED, HUNG, SURVIVED, UNCLEAR].map(resultLine)).toEqual([
    'x/a: killed by a.test.ts > b (2 s)',
    'x/b: killed: the tests hang (2 s)',
    'y/c: SURVIVED (2 s)',
    'y/d: UNCLEAR: no test ran (2 s)',
  ]);
});

test('the table counts by area', () => {
  expect(resultTable([KILLED, SURVIVED, HUNG, UNCLEAR]).map((line) => line.split(/\s+/))).toEqual([
    ['area', 'mutants', 'killed', 'hung', 'survived', 'unclear', 'seconds'],
    ['x', '2', '1', '1', '0', '0', '4'],
    ['y', '2', '0', '0', '1', '1', '4'],
    ['all', '4', '1', '1', '1', '1', '8'],
  ]);
});

test('a run fails on a survivor that is not listed, on one that is killed now, and on what is unclear', () => {
  const listed = (name: string) => [{ name, needs: 'a test' }];
  expect(complaints([KILLED, HUNG, SURVIVED], listed('y/c'))).toEqual([]);
  expect(complaints([SURVIVED], [])).toEqual(['y/c: no test fails']);
  expect(complaints([HUNG], listed('x/b'))).toEqual(['x/b: is killed now; take it off the list of survivors']);
  expect(complaints([UNCLEAR], listed('y/d'))).toEqual(['y/d: nothing can be said of it']);
});
