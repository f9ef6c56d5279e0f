import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryGroup } from '../../memory-group.fixture.ts';
import { checkMemory } from './check-memory.ts';
import { GroupMemory } from './group-memory.ts';
import { MemoryGuard } from './memory-guard.ts';

const MB = 1_000_000;
const logger = createLogger('test', 'silent');
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'memory-guard-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** The directory as a container sees it whose control group is this one. */
function asContainer(group: MemoryGroup): string {
  const own = dirname(group.members);
  if (existsSync(join(own, 'memory.current'))) return own;
  symlinkSync(own, join(directory, 'memory'));
  return directory;
}

function killsOf(group: MemoryGroup): number {
  const own = dirname(group.members);
  const file = ['memory.events', 'memory.oom_control'].map((name) => join(own, name)).find(existsSync) ?? '';
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync(file, 'latin1'))?.[1]);
}

function inGroup(group: MemoryGroup, command: string): ChildProcess {
  const argv = ['-c', `echo $$ > "$0" && ${command}`, group.members];
  return spawn('sh', argv, { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
}

const canLimit = ((): boolean => {
  using group = MemoryGroup.make(`svc-guard-probe-${process.pid}`, 64 * MB);
  return group !== undefined;
})();

describe.runIf(canLimit)('with a memory limit', () => {
  test('[end.memory-guard] the largest command is ended before the kernel kills anything', async () => {
    using group = MemoryGroup.make(`svc-guard-${process.pid}`, 256 * MB);
    if (!group) throw new Error('no memory limit can be set here');
    const memory = GroupMemory.find(asContainer(group));
    if (!memory) throw new Error('the limit is not found');
    const small = inGroup(group, 'sleep 300');
    const large = inGroup(group, 'sh -c "tail </dev/zero"; exit 3');
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    const guarded = (child: ChildProcess, name: string) => ({
      pid: child.pid ?? 0,
      end: async ({ program }: { readonly program: string }) => {
        resolve([name, program]);
        const exited = once(child, 'exit');
        process.kill(-(child.pid ?? 0), 'SIGKILL');
        await exited;
      },
    });
    const running = () => [guarded(small, 'small'), ...(large.exitCode === null ? [guarded(large, 'large')] : [])];
    {
      using _guard = new MemoryGuard({ memory, part: 0.8, running, logger });
      expect(await ended).toEqual(['large', 'tail']);
    }
    if (large.signalCode === null) await once(large, 'exit');
    expect([large.signalCode, killsOf(group), small.exitCode]).toEqual(['SIGKILL', 0, null]);
    const exited = once(small, 'exit');
    process.kill(-(small.pid ?? 0), 'SIGKILL');
    await exited;
  });

  test('[end.memory-guard] files on disk that were read do not count', async () => {
    using group = MemoryGroup.make(`svc-guard-cache-${process.pid}`, 256 * MB);
    if (!group) throw new Error('no memory limit can be set here');
    const memory = GroupMemory.find(asContainer(group));
    // The directory of tests may be in memory.
    const file = `/var/tmp/svc-guard-${process.pid}`;
    const [code] = await once(inGroup(group, `head -c ${128 * MB} /dev/zero > ${file}`), 'exit');
    expect(code).toBe(0);
    expect(memory?.held() ?? Number.NaN).toBeLessThan(64 * MB);
    rmSync(file);
  });
});

test('[end.memory-guard] the doctor says what the kernel kills first, and what to do', () => {
  expect(checkMemory(0, directory)).toMatchObject({ ok: true, detail: 'none is set for this container' });
  writeFileSync(join(directory, 'memory.max'), `${512 * 1024 ** 2}\n`);
  writeFileSync(join(directory, 'memory.current'), '1\n');
  expect(checkMemory(0, directory, 0)).toMatchObject({ ok: true, detail: '512 MiB: the kernel ends commands first' });
  expect(checkMemory(0, directory, 990)).toMatchObject({
    ok: false,
    hint: expect.stringContaining('SVC_MEMORY_GUARD'),
  });
  writeFileSync(join(directory, 'memory.oom.group'), '1\n');
  expect(checkMemory(0, directory, 0)).toMatchObject({
    ok: false,
    hint: expect.stringContaining('singleProcessOOMKill'),
  });
  expect(checkMemory(90, directory, 990)).toMatchObject({ ok: true, detail: expect.stringContaining('at 90 %') });
  writeFileSync(join(directory, 'memory.max'), 'max\n');
  expect(GroupMemory.find(directory)).toBeUndefined();
  mkdirSync(join(directory, 'memory'));
  writeFileSync(join(directory, 'memory/memory.limit_in_bytes'), '9223372036854771712\n');
  expect(GroupMemory.find(directory)).toBeUndefined();
  writeFileSync(join(directory, 'memory/memory.limit_in_bytes'), '1048576\n');
  expect(GroupMemory.find(directory)?.limit).toBe(1_048_576);
});
