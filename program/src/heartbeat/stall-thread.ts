import { readFileSync, writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { ignore } from '../ignore.ts';
import { LoopState } from './loop-state.ts';
import { mainStack } from './main-stack.ts';

const TASK = 'stall';
/** Ticks without a turn of the main loop before the report, and for the report; the parent kills after ten. */
const TICKS = 5;
const REPORT_TICKS = 3;
const STDOUT = 1;
/** Name of the thread in the process table. */
export const STALL_THREAD = 'stall-thread';

interface StallTask {
  /** Name of the service in its log. */
  readonly name: string;
  readonly pid: number;
  readonly intervalMs: number;
  readonly loop: Int32Array<SharedArrayBuffer>;
}

/** Starts the thread that logs if the main thread stands when its loop stops. It does not keep the program running. */
export function startStallThread(task: StallTask): void {
  const worker = new Worker(new URL(import.meta.url), {
    name: STALL_THREAD,
    workerData: { [TASK]: task },
    env: {},
    execArgv: [],
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  // Without the thread a stall is not explained; the parent ends it all the same.
  worker.on('error', ignore).unref();
}

/** Counts its own ticks, as the parent does: where the whole machine stands still, nothing is counted. */
function watch(task: StallTask): void {
  const loop = new LoopState(task.loop);
  let turns = loop.turns;
  let missed = 0;
  setInterval(() => {
    missed = turns === loop.turns && !loop.isDebugged ? missed + 1 : 0;
    turns = loop.turns;
    if (missed === TICKS) void report(task);
  }, task.intervalMs);
}

async function report({ name, pid, intervalMs }: StallTask): Promise<void> {
  const stack = await mainStack(REPORT_TICKS * intervalMs);
  const seconds = (TICKS * intervalMs) / 1000;
  const message = stack === undefined ? `in ${placeOf(pid)}` : 'in JavaScript';
  const err = { type: 'Stall', message, stack: [message, ...(stack ?? [])].join('\n    at ') };
  const line = { level: 'error', time: new Date(), name, err, msg: `main loop has not turned for ${seconds} s` };
  try {
    // The streams of a worker write by way of the main thread.
    writeSync(STDOUT, `${JSON.stringify(line)}\n`);
  } catch {
    // Nobody reads the log.
  }
}

/** Where a thread stands that runs no JavaScript, by its state (proc_pid_stat(5)). */
function placeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/self/task/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')')).startsWith(') R') ? 'native code' : 'a system call';
  } catch {
    return 'a system call';
  }
}

// This module is its own worker: its bundle is one file, wherever that lies.
if (!isMainThread && workerData?.[TASK] !== undefined) watch(workerData[TASK]);
