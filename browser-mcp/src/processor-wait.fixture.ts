import { readdirSync, readFileSync } from 'node:fs';

/** Of a browser: the threads between which the messages of DevTools go. */
const IO_THREAD = /^Chrome_(?:Child)?IOT/;

/** Where a process is among the others, by /proc. */
function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

/** The ids of a process and of all below it. */
function under(root: number): string[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(
      (pid) =>
        [
          pid,
          read(`${pid}/stat`)
            .replace(/^.*\) \S /s, '')
            .split(' ')[0],
        ] as const,
    );
  const found = [String(root)];
  for (const pid of found) found.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child));
  return found;
}

/** Those threads of a process that may carry a call. */
function threadsOf(pid: string): string[] {
  // The page of another tab may wait for a processor all the time, because it never stops.
  if (read(`${pid}/cmdline`).includes('--type=renderer')) return [];
  return [pid, ...ioThreadsOf(pid)];
}

function ioThreadsOf(pid: string): string[] {
  if (!read(`${pid}/cmdline`).includes('chromium')) return [];
  try {
    return readdirSync(`/proc/${pid}/task`).filter(
      (tid) => tid !== pid && IO_THREAD.test(read(`${pid}/task/${tid}/comm`)),
    );
  } catch {
    return [];
  }
}

/**
 * How long the threads that carry a call were ready to run and got no processor, by the kernel's count: what a busy
 * machine adds to the time of a call. A thread that waits for an answer, or for a timer, is not ready.
 */
export class ProcessorWait {
  readonly #root: number;
  readonly #seen = new Map<string, number>();

  /** @param root process above all that carry a call */
  constructor(root: number) {
    this.#root = root;
  }

  /** Milliseconds since the last time. */
  take(): number {
    let nanoseconds = 0;
    for (const pid of under(this.#root)) {
      for (const tid of threadsOf(pid)) {
        const waited = Number(read(`${pid}/task/${tid}/schedstat`).split(' ')[1] ?? 0);
        nanoseconds += Math.max(0, waited - (this.#seen.get(tid) ?? 0));
        this.#seen.set(tid, waited);
      }
    }
    return nanoseconds / 1e6;
  }
}
