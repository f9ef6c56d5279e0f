import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { InExecve } from './in-execve.fixture.ts';
import { hasProc, uptimeTicks } from './process-finder.ts';
import { StartedProcesses, sinceNow } from './started-processes.ts';

/** A process in a session of its own with a mark; each line that it reads is run. */
class Marked implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
  }

  static async start(mark: string): Promise<Marked> {
    const env = { PATH: process.env['PATH'], SVC_COMMAND_ID: mark };
    const marked = new Marked(spawn('sh', { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env }));
    await marked.run('echo up');
    return marked;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves with what it prints first. */
  async run(line: string): Promise<string> {
    const printed = once(this.#child.stdout, 'data');
    this.#child.stdin.write(`${line}\n`);
    return String(await printed).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    process.kill(-this.pid, 'SIGKILL');
    await ended;
  }
}

/** Resolves when a process that starts now is younger than all before. */
async function nextTick(): Promise<void> {
  const begun = Math.floor(uptimeTicks());
  await expect.poll(() => Math.floor(uptimeTicks()) > begun, { interval: 1 }).toBe(true);
}

test.runIf(hasProc)(
  '[pty.end-all] a detached process with the mark of the shell is found, that of an older one is not',
  async () => {
    const mark = `started-${process.pid}`;
    await using shell = await Marked.start(mark);
    // As a tmux server that the first of its sessions has started: its children begin with its environment.
    await using older = await Marked.start(mark);
    await nextTick();
    const started = new StartedProcesses({ pid: shell.pid, mark, identity: undefined }, since(shell.pid));
    const ofOlder = Number(await older.run('setsid sleep 1000 & echo $!'));
    const ofShell = Number(await shell.run('setsid -f sh -c "echo \\$\\$; exec sleep 1000"'));
    try {
      const pids = (await started.find()).processes.map(({ pid }) => pid);
      expect(pids).toEqual([ofShell]);
      // It was started later, but by a process that has ended.
      expect((await started.find({ ticks: 0, children: [] })).processes.map(({ pid }) => pid)).toEqual([ofShell]);
    } finally {
      process.kill(ofOlder, 'SIGKILL');
      process.kill(ofShell, 'SIGKILL');
    }
  },
);

test.runIf(hasProc)(
  '[pty.end-all] a process that a look is the first to show as dead leaves it unsettled',
  async () => {
    await using shell = await Marked.start(`dead-${process.pid}`);
    // A shell does not reap a child while it runs another program in its place.
    const zombie = Number(await shell.run('true & echo $!; exec sleep 1000'));
    expect(zombie).toBeGreaterThan(0);
    const started = new StartedProcesses({ pid: shell.pid, mark: 'none', identity: undefined }, since(shell.pid));
    expect((await started.find()).isSettled).toBe(false);
    await expect.poll(async () => (await started.find()).isSettled).toBe(true);
  },
);

test.runIf(hasProc && has('python3'))(
  '[pty.end-all] a process that may be in the middle of execve leaves a look unsettled',
  async () => {
    await using shell = await Marked.start(`execve-${process.pid}`);
    const started = new StartedProcesses({ pid: shell.pid, mark: 'none', identity: undefined }, since(shell.pid));
    await expect.poll(async () => (await started.find()).isSettled).toBe(true);
    await using _unnamed = await InExecve.start();
    await started.find();
    expect((await started.find()).isSettled).toBe(false);
  },
);

function since(shell: number) {
  const moment = sinceNow(shell);
  if (moment === undefined) throw new Error('no /proc');
  return moment;
}
