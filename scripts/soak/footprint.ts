import type { ChildProcess } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pollUntil } from '@sandbox/api/wait.ts';
import type { Services } from '../../e2e/services.ts';
import { memoryOf } from '../testing/process-memory.ts';

/** What a service holds. */
export interface Footprint {
  readonly name: string;
  /** What each of them stands for, without the numbers of pipes and sockets. */
  readonly descriptors: readonly string[];
  readonly rssBytes: number;
}

/** Milliseconds between two looks, and for all of them. The services close idle connections after 75 s. */
const LOOK_MS = 1000;
const QUIET_MS = 180_000;
/** Milliseconds in which the garbage is collected. */
const COLLECT_MS = 5000;
/** Equal looks, one after the other, that show rest: longer than an idle connection lives. */
const EQUAL_LOOKS = 80;

/** Options of a service's own Node that have it collect its garbage at SIGUSR2. The programs it runs get none. */
export const COLLECTING = [`--import=${import.meta.resolve('./collect-garbage.ts')}`];

/**
 * Closes the terminals, waits until no cell runs, whose journal is a descriptor, and until the descriptors of both
 * services no longer change, and measures without garbage.
 */
export async function quietFootprint(
  { url, daemon, gateway }: Services,
  key: string | undefined,
): Promise<Footprint[]> {
  const headers = { connection: 'close', ...(key === undefined ? {} : { 'x-api-key': key }) };
  await fetch(`${url}/v1/shell/sessions`, { method: 'DELETE', headers });
  const isWithoutCells = async (): Promise<boolean> =>
    (await (await fetch(`${url}/metrics`, { headers })).text()).includes('\ncode_executions_running 0\n');
  if ((await pollUntil(isWithoutCells, { everyMs: LOOK_MS, ms: QUIET_MS })) !== 'settled') {
    throw new Error(`a cell still runs ${QUIET_MS / 1000} s after the attacks`);
  }
  const measure = (): Footprint[] => [footprint('daemon', daemon), footprint('gateway', gateway)];
  let seen = '';
  let equal = 0;
  const isQuiet = (): boolean => {
    const now = measure()
      .map(({ descriptors }) => descriptors.length)
      .join(' ');
    equal = now === seen ? equal + 1 : 0;
    seen = now;
    return equal >= EQUAL_LOOKS;
  };
  await pollUntil(isQuiet, { everyMs: LOOK_MS, ms: QUIET_MS });
  for (const service of [daemon, gateway]) service.kill('SIGUSR2');
  await pause(COLLECT_MS);
  return measure();
}

function footprint(name: string, { pid }: ChildProcess): Footprint {
  return {
    name,
    descriptors: readdirSync(`/proc/${pid}/fd`).map((fd) => targetOf(`/proc/${pid}/fd/${fd}`)),
    rssBytes: memoryOf(pid ?? 0).rss,
  };
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link).replace(/:\[\d+\]$/, '');
  } catch {
    return 'closed meanwhile';
  }
}
