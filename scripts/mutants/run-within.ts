import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 3000;
/** Characters of the output that are kept: its end says what went wrong. */
const KEPT = 4000;

interface Terms {
  readonly cwd: string;
  readonly deadlineMs: number;
  /** Ends the command before its time; the call then throws. */
  readonly signal: AbortSignal;
}

/** How a command ended: `code` is undefined where its deadline passed, null where a signal ended it. */
export interface Ended {
  readonly code: number | null | undefined;
  readonly output: string;
}

/** Runs a command in a process group of its own, which is ended when the deadline passes. */
export async function runWithin(command: readonly string[], { cwd, deadlineMs, signal }: Terms): Promise<Ended> {
  const [program = '', ...args] = command;
  signal.throwIfAborted();
  const child = spawn(program, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT);
    });
  }
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const over = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  const code = await Promise.race([exited, aborted(over)]);
  await endGroup(child, exited);
  signal.throwIfAborted();
  return { code, output };
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
  return undefined;
}

/** Also what the command left in its group. */
async function endGroup({ pid }: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  if (signalGroup(pid, 'SIGTERM')) await Promise.race([exited, delay(GRACE_MS, undefined, { ref: false })]);
  signalGroup(pid, 'SIGKILL');
  await exited;
}

function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
