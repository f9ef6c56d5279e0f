import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../scripts/root.ts';

const MIB = 1024 ** 2;

/** Prints what the reserve holds after each call of `take` (t) and `free` (f), and whether it became complete. */
const DRIVER = `
import json, os, sys
sys.path.insert(0, sys.argv[1])
from svc_reserve import MIB, Memory, Reserve
reserve = Reserve(Memory(sys.argv[2]))
held = []
for step in sys.argv[3]:
    result = reserve.take() if step == "t" else reserve.free()
    size = os.fstat(reserve._file).st_blocks * 512 if reserve._file is not None else 0
    held.append([size / MIB, result if step == "t" else result / MIB])
print(json.dumps(held))
`;

interface Group {
  readonly limit: string;
  readonly used: number;
  readonly files?: number;
  readonly version?: 1 | 2;
}

function held(steps: string, { limit, used, files = 0, version = 2 }: Group): unknown {
  const group = mkdtempSync(join(tmpdir(), 'reserve-'));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(group, name)), { recursive: true });
    writeFileSync(join(group, name), `${text}\n`);
  };
  try {
    const [max, current] =
      version === 2
        ? ['memory.max', 'memory.current']
        : ['memory/memory.limit_in_bytes', 'memory/memory.usage_in_bytes'];
    write(max, limit);
    write(current, String(used));
    const own = version === 2 ? `inactive_file ${files}` : `inactive_file 1\ntotal_inactive_file ${files}`;
    write(version === 2 ? 'memory.stat' : 'memory/memory.stat', `anon 5\n${own}\nactive_file 7`);
    const args = ['-I', '-B', '-c', DRIVER, join(ROOT, 'supervisord'), group, steps];
    return JSON.parse(execFileSync('python3', args, { encoding: 'utf8' }));
  } finally {
    rmSync(group, { recursive: true });
  }
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
