import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { statOf } from '../../../daemon/src/core/process/find/process-finder.ts';
import { inNode, RUN, STATE } from './places.ts';

const PIDS = join(RUN, 'pids');
const LOGS = join(STATE, 'logs');
const END_MS = 15_000;

/** A process of a run of the node; an earlier run that was killed left its file too. */
interface Running {
  readonly pid: number;
  /** When the kernel started it: another process that got the number has another time. */
  readonly started: string;
}

/** Starts a program in the network namespace of the node, as a session of its own. */
export async function startProgram(name: string, command: readonly string[]): Promise<void> {
  await mkdir(PIDS, { recursive: true });
  await mkdir(LOGS, { recursive: true });
  const log = openSync(join(LOGS, `${name}.log`), 'a');
  const [program = '', ...args] = inNode(...command);
  const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  child.unref();
  if (child.pid === undefined) throw new Error(`${name} could not be started`);
  const running: Running = { pid: child.pid, started: statOf(child.pid)?.startTime ?? '' };
  await writeFile(join(PIDS, name), JSON.stringify(running));
}

/** The programs that run, by their names. */
export async function runningPrograms(): Promise<ReadonlyMap<string, number>> {
  const running = new Map<string, number>();
  for (const name of existsSync(PIDS) ? await readdir(PIDS) : []) {
    const { pid, started } = JSON.parse(await readFile(join(PIDS, name), 'utf8')) as Running;
    if (started !== '' && statOf(pid)?.startTime === started) running.set(name, pid);
  }
  return running;
}

/** Ends a program by its pid, and waits. */
export async function endProgram(name: string): Promise<void> {
  const isRunning = async (): Promise<boolean> => (await runningPrograms()).has(name);
  const pid = (await runningPrograms()).get(name);
  if (pid === undefined) return;
  process.kill(pid, 'SIGTERM');
  if ((await pollUntil(async () => !(await isRunning()), { everyMs: 50, ms: END_MS })) === 'settled') return;
  process.kill(pid, 'SIGKILL');
  await pollUntil(async () => !(await isRunning()), { everyMs: 50, ms: END_MS });
}

/** The last lines that a program printed. */
export async function lastLines(name: string): Promise<string> {
  const text = await readFile(join(LOGS, `${name}.log`), 'utf8').catch(() => '');
  return text.split('\n').slice(-8).join('\n');
}
