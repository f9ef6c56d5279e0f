import { readFileSync } from 'node:fs';
import { addDescendants, scan } from '../process/find/process-finder.ts';

/** The memory of a process, of its session and group, and of all descendants. */
export interface FamilyMemory {
  /** Bytes that no file on disk has. */
  readonly bytes: number;
  /** The name of the program of the largest one, as ps has it. */
  readonly program: string;
}

/** By the pids of the leaders. */
export function familyMemory(leaders: readonly number[]): ReadonlyMap<number, FamilyMemory> {
  const { living } = scan();
  return new Map(
    leaders.map((leader) => {
      const members = new Set(
        living.filter(({ pid, group, session }) => [pid, group, session].includes(leader)).map(({ pid }) => pid),
      );
      addDescendants(living, members);
      const sizes = Array.from(members, memoryOf).sort((a, b) => b.bytes - a.bytes);
      const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
      return [leader, { bytes, program: sizes[0]?.program ?? '' }] as const;
    }),
  );
}

function memoryOf(pid: number): FamilyMemory {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kib = ['RssAnon', 'RssShmem'].map((name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0),
    );
    return { bytes: kib.reduce((a, b) => a + b, 0) * 1024, program: /^Name:\t(.*)$/m.exec(status)?.[1] ?? '' };
  } catch {
    return { bytes: 0, program: '' };
  }
}
