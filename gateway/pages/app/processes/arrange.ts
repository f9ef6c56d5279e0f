import { keyOf, type Process } from './process.ts';

export interface Row {
  readonly process: Process;
  /** Ancestors that are listed; 0 in a list that is no tree. */
  readonly depth: number;
}

export type Arrangement = 'tree' | 'cpu' | 'memory';

export interface Wanted {
  readonly by: Arrangement;
  /** Text that is in the command, the account or the pid. */
  readonly filter: string;
  readonly shares: ReadonlyMap<string, number>;
}

/** The rows of processes: as a tree, or a list with the largest first. The work is linear, but for the sorting. */
export function arranged(processes: readonly Process[], { by, filter, shares }: Wanted): Row[] {
  const wanted = filter.toLowerCase();
  if (by === 'tree' && wanted === '') return treeOf(processes);
  const flat = processes.filter((process) => contains(process, wanted));
  const figure = by === 'cpu' ? (one: Process) => shares.get(keyOf(one)) ?? 0 : (one: Process) => one.memory_bytes;
  if (by !== 'tree') flat.sort((a, b) => figure(b) - figure(a));
  return flat.map((process) => ({ process, depth: 0 }));
}

function contains({ pid, user, name, command }: Process, text: string): boolean {
  return String(pid) === text || [user, name, command].some((one) => one.toLowerCase().includes(text));
}

/** Each parent before its children. One whose parent is not listed is a root. */
function treeOf(processes: readonly Process[]): Row[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  const children = new Map<number, Process[]>();
  const roots: Process[] = [];
  for (const process of processes) {
    const { parent, pid } = process;
    if (!pids.has(parent) || parent === pid) roots.push(process);
    else if (children.has(parent)) children.get(parent)?.push(process);
    else children.set(parent, [process]);
  }
  const rows: Row[] = [];
  const pending: Row[] = roots.reverse().map((process) => ({ process, depth: 0 }));
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    rows.push(row);
    const { depth } = row;
    for (const child of children.get(row.process.pid)?.reverse() ?? [])
      pending.push({ process: child, depth: depth + 1 });
  }
  return rows;
}
