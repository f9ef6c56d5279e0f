import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../scripts/root.ts';

const MIB = 1024 ** 2;

/**
 * Prints what the reserve holds after each call of `take` (t), `free` (f) and `lend` (l), and whether it became complete
 * or what was freed; | puts the next group in force.
 */
const DRIVER = `
import json, os, sys
sys.path.insert(0, sys.argv[1])
from svc_reserve import MIB, Memory, Reserve
groups = [Memory(group) for group in sys.argv[3:]]
reserve = Reserve(groups.pop(0))
held = []
for step in sys.argv[2]:
    if step == "|":
        reserve._memory = groups.pop(0)
        continue
    result = {"t": reserve.take, "f": reserve.free, "l": reserve.lend}[step]()
    size = os.fstat(reserve._file).st_blocks * 512 if reserve._file is not None else 0
    held.append([size / MIB, result if step == "t" else result / MIB])
print(json.dumps(held))
`;

interface Group {
  readonly limit: string;
  readonly used: number;
  readonly files?: number;
  /** In use, too: the code of programs. */
  readonly code?: number;
  /** In use, too: files in memory, with those of the reserve. */
  readonly shared?: number;
  readonly version?: 1 | 2;
}

function held(steps: string, ...groups: readonly Group[]): unknown {
  const directories = groups.map(write);
  try {
    const args = ['-I', '-B', '-c', DRIVER, join(ROOT, 'supervisord'), steps, ...directories];
    return JSON.parse(execFileSync('python3', args, { encoding: 'utf8' }));
  } finally {
    for (const directory of directories) rmSync(directory, { recursive: true });
  }
}

/** A directory with the files of a control group. */
function write({ limit, used, files = 0, code = 7, shared = 0, version = 2 }: Group): string {
  const directory = mkdtempSync(join(tmpdir(), 'reserve-'));
  const file = (name: string, text: string) => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), `${text}\n`);
  };
  const [max, current, stat, other, own] =
    version === 2
      ? (['memory.max', 'memory.current', 'memory.stat', '', ''] as const)
      : ([
          'memory/memory.limit_in_bytes',
          'memory/memory.usage_in_bytes',
          'memory/memory.stat',
          'shmem 1\ninactive_file 1\nactive_file 1\n',
          'total_',
        ] as const);
  file(max, limit);
  file(current, String(used));
  file(stat, `anon 5\n${other}${own}shmem ${shared}\n${own}inactive_file ${files}\n${own}active_file ${code}`);
  return directory;
}

test('[images.out-of-memory] a container with a limit holds 128 MiB, and frees a half of it twice', () => {
  const group = { limit: String(2048 * MIB), used: 200 * MIB };
  expect(held('tttffftt', group)).toEqual([
    [64, false],
    [128, true],
    [128, false],
    [64, 64],
    [0, 64],
    [0, 0],
    [64, false],
    [128, true],
  ]);
});

test.each([1, 2] as const)(
  '[images.out-of-memory] a small container holds a quarter of its limit (version %i)',
  (version) => {
    const group = { limit: String(256 * MIB), used: 100 * MIB, version };
    expect(held('tf', group)).toEqual([
      [64, true],
      [32, 32],
    ]);
  },
);

test.each([1, 2] as const)(
  '[images.out-of-memory] memory that is not free is left to the programs (version %i)',
  (version) => {
    const group = { limit: String(512 * MIB), version };
    // The reserve, and half of it for programs.
    const used = (512 - 192) * MIB;
    expect(held('t', { ...group, used })).toEqual([[64, false]]);
    expect(held('t', { ...group, used: used + 1 })).toEqual([[0, false]]);
    // The kernel drops the pages of files when memory is needed.
    expect(held('t', { ...group, used: used + 100 * MIB, files: 100 * MIB })).toEqual([[64, false]]);
  },
);

test('[images.out-of-memory] a container without a limit holds nothing', () => {
  const nothing = [
    [0, false],
    [0, 0],
  ];
  expect(held('tf', { limit: 'max', used: 0 })).toEqual(nothing);
  // What version 1 shows if no limit is set.
  expect(held('tf', { limit: '9223372036854771712', used: 0, version: 1 })).toEqual(nothing);
});

const COMPLETE = [
  [64, false],
  [128, true],
];

test.each([1, 2] as const)(
  '[images.out-of-memory] a half is lent to programs that leave little room for their code (version %i)',
  (version) => {
    const group = { limit: String(512 * MIB), used: 200 * MIB, version };
    const shared = 128 * MIB;
    const short = { ...group, used: 500 * MIB, code: 147 * MIB, shared };
    // Once; then a service that was killed gets the other half.
    expect(held('tt|llf', group, short)).toEqual([...COMPLETE, [64, 64], [64, 0], [0, 64]]);
    expect(held('tt|l', group, { ...short, code: 148 * MIB })).toEqual([...COMPLETE, [128, 0]]);
    // It is kept for files in memory, against which it would not help.
    const files = shared + 64 * MIB;
    expect(held('tt|l', group, { ...short, shared: files })).toEqual([...COMPLETE, [64, 64]]);
    expect(held('tt|l', group, { ...short, shared: files + 1 })).toEqual([...COMPLETE, [128, 0]]);
  },
);

test('[images.out-of-memory] what was lent is taken again when programs leave enough without it', () => {
  const group = { limit: String(512 * MIB), used: 200 * MIB };
  const short = { ...group, used: 500 * MIB };
  const almost = { ...group, used: 257 * MIB, code: MIB - 1 };
  expect(held('tt|l|t', group, short, almost)).toEqual([...COMPLETE, [64, 64], [64, false]]);
  expect(held('tt|l|t', group, short, { ...almost, code: MIB })).toEqual([...COMPLETE, [64, 64], [128, true]]);
  // After the end of a service its part is taken again, and what is lent stays so.
  expect(held('tt|lf|tt', group, short, almost)).toEqual([...COMPLETE, [64, 64], [0, 64], [64, false], [64, false]]);
});
