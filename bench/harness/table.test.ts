import { expect, test } from 'vitest';
import { figuresPage, lineOf, type Run } from './table.ts';

const BENCHMARKS = [
  { name: 'commands', about: 'How long a command takes.' },
  { name: 'start', about: 'How long a start takes.' },
];

function run(benchmark: string, ours: number, more: Partial<Run> = {}): Run {
  const goal = { words: 'at most 1.4×', of: 'ratio', bound: 1.4 } as const;
  const row = { name: 'time', unit: 'ms', better: 'lower', goal } as const;
  const results = [{ benchmark, outcomes: [{ row, peer: 'spawn', ours, theirs: 2 }] }];
  return { date: '2026-01-31', machine: '2 cores', results, ...more };
}

function rowsOf(page: string): string[] {
  return page.split('\n').filter((line) => /^\| (?:commands|start|gone) /.test(line));
}

test('a row has the figures, their ratio and whether the goal is met', () => {
  expect(rowsOf(figuresPage('', run('commands', 2.5), BENCHMARKS))).toEqual([
    '| commands | time | 2.5 ms | spawn | 2 ms | 1.25× | at most 1.4× | yes | 2026-01-31 on A |',
  ]);
});

test('rows of benchmarks that were not run stay as they were, in the order of the benchmarks', () => {
  const first = figuresPage('', run('start', 1234.5), BENCHMARKS);
  const second = figuresPage(first, run('commands', 3, { date: '2026-02-01' }), BENCHMARKS);
  expect(rowsOf(second)).toEqual([
    '| commands | time | 3 ms | spawn | 2 ms | 1.50× | at most 1.4× | **no** | 2026-02-01 on A |',
    '| start | time | 1,235 ms | spawn | 2 ms | 617.25× | at most 1.4× | **no** | 2026-01-31 on A |',
  ]);
  expect(figuresPage(second, { ...run('commands', 3), results: [] }, BENCHMARKS)).toBe(second);
});

test('rows of a benchmark that was run are replaced, those of one that is gone are dropped', () => {
  const first = figuresPage('', run('commands', 3), [...BENCHMARKS, { name: 'gone', about: '' }]);
  const second = figuresPage(first, run('gone', 3), [...BENCHMARKS, { name: 'gone', about: '' }]);
  expect(rowsOf(second)).toHaveLength(2);
  expect(rowsOf(figuresPage(second, run('commands', 2), BENCHMARKS))).toEqual([
    '| commands | time | 2 ms | spawn | 2 ms | 1.00× | at most 1.4× | yes | 2026-01-31 on A |',
  ]);
});

test('a machine is listed as long as a row was measured on it', () => {
  const first = figuresPage('', run('commands', 1), BENCHMARKS);
  const second = figuresPage(first, run('start', 1, { machine: '8 cores' }), BENCHMARKS);
  expect(second).toContain('- **A**: 2 cores\n- **B**: 8 cores\n');
  expect(rowsOf(second).map((row) => row.slice(-7))).toEqual([' on A |', ' on B |']);
  const third = figuresPage(second, run('commands', 1, { machine: '8 cores' }), BENCHMARKS);
  expect(third).toContain('Machines:\n\n- **B**: 8 cores\n\n');
});

test('a difference is shown where the goal is one', () => {
  const goal = { words: 'at most 0.12 ms more', of: 'difference', bound: 0.12 } as const;
  const row = { name: 'p50', unit: 'ms', better: 'lower', goal } as const;
  const line = lineOf({ row, peer: 'direct', ours: 0.25, theirs: 0.1 });
  expect(line).toBe('p50: 0.25 ms, direct: 0.1 ms, 2.50× (+0.15 ms)   MISSED: at most 0.12 ms more');
});

test('a description has lines of at most 120 characters and loses none of its words', () => {
  const about = Array.from({ length: 60 }, (_, number) => 'word'.repeat((number % 5) + 1)).join(' ');
  const page = figuresPage('', { ...run('commands', 1), results: [] }, [{ name: 'commands', about }]);
  const lines = page.slice(page.indexOf('**commands**')).trimEnd().split('\n');
  expect(lines.join(' ')).toBe(`**commands**: ${about}`);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
  expect(lines.slice(1).map((line, index) => `${lines[index]} ${line.split(' ')[0]}`.length > 120)).not.toContain(
    false,
  );
});
