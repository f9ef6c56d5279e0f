import { expect, test } from 'vitest';
import type { Row } from './benchmark.ts';
import type { Outcome } from './compare.ts';
import { figuresPage, missedRows, type Run } from './figures-page.ts';

const BENCHMARKS = [
  { name: 'commands', about: 'How long a command takes.' },
  { name: 'start', about: 'How long a start takes.' },
];
/** As a row was written before it had a range. */
const OLD_ROW =
  '| start | ready | 298 ms | bare node:http | 103 ms | 2.88× | under 150 ms | **no** | 2026-01-01 on A |';
const OLD_PAGE = `# Benchmarks

${OLD_ROW}

Machines:

- **A**: 2 cores
`;

/** A run of one benchmark, its figures against 2 ms of the peer. */
function run(benchmark: string, ours: readonly number[], more: Partial<Run> & { seconds?: number } = {}): Run {
  const goal = { words: 'at most 1.4×', of: 'ratio', bound: 1.4 } as const;
  const row = { name: 'time', unit: 'ms', better: 'lower', goal } as const;
  const outcomes = [{ row, peer: 'spawn', rounds: ours.map((figure) => ({ ours: figure, theirs: 2 })) }];
  const { seconds = 60, ...rest } = more;
  return { date: '2026-01-31', machine: '2 cores', results: [{ benchmark, seconds, outcomes }], ...rest };
}

function rowsOf(page: string): string[] {
  return page.split('\n').filter((line) => /^\| (?:commands|start|gone) /.test(line));
}

function sectionOf(page: string, title: string): string {
  return page.split(`## ${title}\n\n`)[1]?.split('\n\n## ')[0] ?? '';
}

test('a row has the figures with their ranges, their ratio and whether the goal is met', () => {
  expect(rowsOf(figuresPage('', run('commands', [2.5, 2.6, 2.4]), BENCHMARKS))).toEqual([
    '| commands | time | 2.5 ms (2.4 to 2.6) | spawn | 2 ms (2 to 2) | 1.25× (1.20 to 1.30) | at most 1.4× | yes | 2026-01-31 on A |',
  ]);
});

test('rows of benchmarks that were not run stay as they were, in the order of the benchmarks', () => {
  const first = figuresPage('', run('start', [1234.5]), BENCHMARKS);
  const second = figuresPage(first, run('commands', [3], { date: '2026-02-01' }), BENCHMARKS);
  expect(rowsOf(second)).toEqual([
    '| commands | time | 3 ms (one round) | spawn | 2 ms | 1.50× | at most 1.4× | **no** | 2026-02-01 on A |',
    '| start | time | 1,235 ms (one round) | spawn | 2 ms | 617.25× | at most 1.4× | **no** | 2026-01-31 on A |',
  ]);
  expect(figuresPage(second, { ...run('commands', []), results: [] }, BENCHMARKS)).toBe(second);
  expect(figuresPage(second, undefined, BENCHMARKS)).toBe(second);
});

test('a row without a range stays as it was, with its machine', () => {
  const page = figuresPage(OLD_PAGE, run('commands', [1], { machine: '8 cores' }), BENCHMARKS);
  expect(rowsOf(page)[1]).toBe(OLD_ROW);
  expect(page).toContain('- **A**: 2 cores\n- **B**: 8 cores\n');
});

test('rows of a benchmark that was run are replaced, those of one that is gone are dropped', () => {
  const first = figuresPage('', run('commands', [3]), [...BENCHMARKS, { name: 'gone', about: '' }]);
  const second = figuresPage(first, run('gone', [3]), [...BENCHMARKS, { name: 'gone', about: '' }]);
  expect(rowsOf(second)).toHaveLength(2);
  expect(rowsOf(figuresPage(second, run('commands', [2]), BENCHMARKS))).toEqual([
    '| commands | time | 2 ms (one round) | spawn | 2 ms | 1.00× | at most 1.4× | yes | 2026-01-31 on A |',
  ]);
});

test('a machine is listed as long as a row was measured on it', () => {
  const first = figuresPage('', run('commands', [1]), BENCHMARKS);
  const second = figuresPage(first, run('start', [1], { machine: '8 cores' }), BENCHMARKS);
  expect(second).toContain('- **A**: 2 cores\n- **B**: 8 cores\n');
  expect(rowsOf(second).map((row) => row.slice(-7))).toEqual([' on A |', ' on B |']);
  const third = figuresPage(second, run('commands', [1], { machine: '8 cores' }), BENCHMARKS);
  expect(third).toContain('Machines:\n\n- **B**: 8 cores\n\n');
});

test('each missed goal has the reason of its benchmark, also where that was not run', () => {
  const reasons = { ready: 'modules are loaded at start.', time: 'not of this benchmark.' };
  const known = [
    { ...BENCHMARKS[0], reasons: { time: 'two processes wake.' } } as const,
    { ...BENCHMARKS[1], reasons },
  ];
  const described = known.map(({ name = '', about = '', reasons }) => ({ name, about, reasons }));
  const page = figuresPage(OLD_PAGE, run('commands', [3, 4]), described);
  expect(sectionOf(page, 'Missed goals')).toBe(
    '- **commands**, time: two processes wake.\n- **start**, ready: modules are loaded at start.',
  );
  expect(sectionOf(figuresPage(page, undefined, described), 'Missed goals')).toBe(sectionOf(page, 'Missed goals'));
});

test('a goal that is met or unclear gets no reason, a missed one without a reason says so', () => {
  const described = BENCHMARKS.map((benchmark) => ({ ...benchmark, reasons: { time: 'slow.' } }));
  expect(sectionOf(figuresPage('', run('commands', [1]), described), 'Missed goals')).toBe('None.');
  expect(sectionOf(figuresPage('', run('commands', [1, 9]), described), 'Missed goals')).toBe('None.');
  const page = figuresPage('', run('commands', [9]), BENCHMARKS);
  expect(sectionOf(page, 'Missed goals')).toBe('- **commands**, time: the reason is unknown.');
  const missed = { benchmark: 'commands', name: 'time', reason: undefined, hasFloor: false };
  expect(missedRows(page, BENCHMARKS)).toEqual([missed]);
});

test('a missed row has a floor where a row of that name or its own peer is one', () => {
  const outcomeOf = (row: Partial<Row>): Outcome => ({
    row: { name: 'time', unit: 'ms', better: 'lower', goal: { words: 'under 1', of: 'value', bound: 1 }, ...row },
    peer: 'spawn',
    rounds: [{ ours: 3, theirs: 2 }],
  });
  const floors = (...rows: readonly Partial<Row>[]): boolean[] => {
    const results = [{ benchmark: 'commands', seconds: 1, outcomes: rows.map(outcomeOf) }];
    const page = figuresPage('', { date: '2026-01-31', machine: '2 cores', results }, BENCHMARKS);
    return missedRows(page, BENCHMARKS).map(({ hasFloor }) => hasFloor);
  };
  expect(floors({})).toEqual([false]);
  expect(floors({}, { name: 'time, floor' })).toEqual([true, false]);
  expect(floors({ peerIsFloor: true })).toEqual([true]);
});

test('the durations of the benchmarks and their sum are stated, those of earlier runs stay', () => {
  expect(sectionOf(figuresPage(OLD_PAGE, undefined, BENCHMARKS), 'Duration')).toBe('No duration was measured.');
  const first = figuresPage('', run('start', [1], { seconds: 90.4 }), BENCHMARKS);
  const without = 'with preparation, without builds of the services:';
  expect(sectionOf(first, 'Duration')).toBe(`1 of 2 benchmarks took 90 s (2 min), ${without}\n\n- start: 90 s`);
  const second = figuresPage(first, run('commands', [1], { seconds: 1500 }), BENCHMARKS);
  expect(sectionOf(second, 'Duration')).toBe(
    `All 2 benchmarks took 1590 s (27 min), ${without}\n\n- commands: 1500 s\n- start: 90 s`,
  );
  const third = figuresPage(second, run('start', [1], { seconds: 30 }), BENCHMARKS);
  expect(sectionOf(third, 'Duration')).toContain('- commands: 1500 s\n- start: 30 s');
});

test('a description has lines of at most 120 characters and loses none of its words', () => {
  const about = Array.from({ length: 60 }, (_, number) => 'word'.repeat((number % 5) + 1)).join(' ');
  const page = figuresPage('', undefined, [{ name: 'commands', about }]);
  const lines = page.slice(page.indexOf('**commands**')).trimEnd().split('\n');
  expect(lines.join(' ')).toBe(`**commands**: ${about}`);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
  expect(lines.slice(1).map((line, index) => `${lines[index]} ${line.split(' ')[0]}`.length > 120)).not.toContain(
    false,
  );
});

test('a long reason is indented below its list item, in lines of at most 120 characters', () => {
  const reason = 'word '.repeat(50).trim();
  const described = [{ name: 'commands', about: '', reasons: { time: reason } }];
  const lines = sectionOf(figuresPage('', run('commands', [9]), described), 'Missed goals').split('\n');
  expect(lines).toHaveLength(3);
  expect(lines.slice(1).every((line) => /^ {2}word/.test(line) && line.length <= 120)).toBe(true);
  expect(lines.map((line) => line.trim()).join(' ')).toBe(`- **commands**, time: ${reason}`);
});
