import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { lookUpIdentity } from '../../account/identity.ts';
import { asAccount } from '../set-account.ts';
import { InExecve } from './in-execve.fixture.ts';
import { findProcesses, hasProc } from './process-finder.ts';

/** What Docker's default set does not have, and what each alone would let root read an environment by. */
const MISSING = '-sys_ptrace,-perfmon,-sys_admin';
const root = process.platform === 'linux' && process.getuid?.() === 0;

test.skipIf(!root)('marks that root may not read are read as their account (needs root)', async () => {
  const id = `finder-${process.pid}`;
  const identity = lookUpIdentity('games');
  const [file, ...args] = asAccount(identity, ['sh', '-c', 'echo up; exec sleep 1000']);
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { SVC_COMMAND_ID: id, PATH: '/usr/bin:/bin' },
  });
  await once(child.stdout, 'data');
  const closed = once(child, 'exit');
  try {
    // 4194305 is above the highest pid there can be, so that only the mark can lead to the process.
    const find = async (target: object): Promise<unknown> => {
      const module = new URL('./process-finder.ts', import.meta.url).href;
      const program = `import { findProcesses } from '${module}';
        const { processes } = await findProcesses([${JSON.stringify(target)}]);
        console.log(JSON.stringify(processes.map(({ pid }) => pid)));`;
      const node = [process.execPath, '--input-type=module', '-e', program];
      const { stdout } = await promisify(execFile)('setpriv', [`--bounding-set=${MISSING}`, '--', ...node]);
      return JSON.parse(stdout);
    };
    const target = { id, pid: 4_194_305, running: false };
    expect(await find(target)).toEqual([]);
    expect(await find({ ...target, identity })).toEqual([child.pid]);
    expect(await find({ ...target, id: id.slice(0, -1), identity })).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
});

test.skipIf(!root)('a process that may not be signalled does not count (needs root)', async () => {
  const identity = lookUpIdentity('games');
  const [file, ...args] = asAccount(identity, ['sh', '-c', 'echo up; exec sleep 1000']);
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  });
  await once(child.stdout, 'data');
  const closed = once(child, 'exit');
  try {
    const signal = async (through: readonly string[]): Promise<string> => {
      const module = new URL('./signal-processes.ts', import.meta.url).href;
      const program = `import { signalProcesses } from '${module}';
        console.log(await signalProcesses([{ id: 'none', pid: ${child.pid}, running: true }], 'SIGTERM'));`;
      const [first, ...rest] = [...through, process.execPath, '--input-type=module', '-e', program];
      return (await promisify(execFile)(first, rest)).stdout;
    };
    expect(await signal(['setpriv', '--bounding-set=-kill'])).toBe('0\n');
    expect(await signal(['env'])).toBe('1\n');
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
});

test.runIf(hasProc)('a target that has not left the group of the daemon yet is found while it runs', async () => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  const closed = once(child, 'exit');
  try {
    await once(child, 'spawn');
    const found = async (running: boolean): Promise<number[]> => {
      const { processes } = await findProcesses([{ id: 'forked', pid: child.pid ?? 0, running }]);
      return processes.map(({ pid }) => pid);
    };
    expect(await found(true)).toEqual([child.pid]);
    expect(await found(false)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
});

test.runIf(hasProc)('a young process without variables does not make others be scanned again', async () => {
  const child = spawn('env', ['-i', 'sleep', '1000'], { stdio: 'ignore', detached: true });
  const closed = once(child, 'exit');
  try {
    await once(child, 'spawn');
    await expect.poll(() => readFileSync(`/proc/${child.pid}/cmdline`, 'latin1')).toMatch(/^sleep/);
    expect(readFileSync(`/proc/${child.pid}/environ`, 'latin1')).toBe('');
    // Another process of the machine may be in the middle of execve at one scan, not at each of some.
    let settled = false;
    for (let scan = 0; scan < 5 && !settled; scan += 1) {
      ({ settled } = await findProcesses([{ id: 'other', pid: 4_194_305, running: false }]));
    }
    expect(settled).toBe(true);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
});

test.runIf(hasProc && has('python3'))(
  'a young process that may be in the middle of execve makes all be scanned again',
  async () => {
    await using _other = await InExecve.start();
    const { settled } = await findProcesses([{ id: 'other', pid: 4_194_305, running: false }]);
    expect(settled).toBe(false);
  },
);
