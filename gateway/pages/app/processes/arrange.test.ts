import { expect, test } from 'vitest';
import { arranged } from './arrange.ts';
import { cpuShares, type Process } from './process.ts';

function processAt(pid: number, parent: number, more: Partial<Process> = {}): Process {
  const facts = { user: 'sandbox', state: 'S', name: 'sh', command: `sh ${pid}`, threads: 1, protected: false };
  const figures = { cpu_seconds: 0, memory_bytes: pid, started_at: '2026-01-01T00:00:00Z', start_ticks: pid * 10 };
  return { pid, parent, ...facts, ...figures, ...more };
}

const shares = new Map<string, number>();
const rowsOf = (processes: readonly Process[], by: 'tree' | 'cpu' | 'memory' = 'tree', filter = '') =>
  arranged(processes, { by, filter, shares }).map(({ process: { pid }, depth }) => [pid, depth]);

test('[app.processes] parents come before their children, and one without a listed parent is a root', () => {
  const processes = [
    processAt(1, 0),
    processAt(5, 1),
    processAt(7, 9),
    processAt(8, 5),
    processAt(9, 1),
    processAt(4, 99),
  ];
  expect(rowsOf(processes)).toEqual([
    [1, 0],
    [5, 1],
    [8, 2],
    [9, 1],
    [7, 2],
    [4, 0],
  ]);
});

test('[app.processes] a chain of 10,000 processes is arranged without a deep stack', () => {
  const rows = rowsOf(Array.from({ length: 10_000 }, (_, index) => processAt(index + 1, index)));
  expect(rows.at(-1)).toEqual([10_000, 9999]);
});

test('[app.processes] a filter and an order by size make a plain list', () => {
  const processes = [processAt(1, 0), processAt(12, 1, { user: 'root' }), processAt(3, 1, { command: 'python3 x' })];
  expect(rowsOf(processes, 'memory')).toEqual([
    [12, 0],
    [3, 0],
    [1, 0],
  ]);
  expect(rowsOf(processes, 'tree', 'PYTHON')).toEqual([[3, 0]]);
  expect(rowsOf(processes, 'tree', 'root')).toEqual([[12, 0]]);
  expect(rowsOf(processes, 'tree', '1')).toEqual([
    [1, 0],
    [12, 0],
  ]);
});

test('[app.processes] the share is that of one processor between two moments, for the same process alone', () => {
  const before = { atMs: 1000, isPart: false, processes: [processAt(1, 0, { cpu_seconds: 5 }), processAt(2, 1)] };
  const processes = [processAt(1, 0, { cpu_seconds: 6 }), processAt(2, 1, { start_ticks: 99, cpu_seconds: 1 })];
  expect([...cpuShares(before, { atMs: 3000, isPart: false, processes })]).toEqual([['1-10', 50]]);
  expect(cpuShares(undefined, before).size).toBe(0);
});
