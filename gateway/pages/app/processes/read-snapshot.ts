import { call } from '../sandbox/api.ts';
import type { Process, Snapshot } from './process.ts';

/** Of 2,000 processes each. */
const PAGES_MAX = 5;

export async function readSnapshot(signal: AbortSignal): Promise<Snapshot> {
  const processes: Process[] = [];
  let after: number | null = 0;
  for (let pages = 0; pages < PAGES_MAX && after !== null; pages += 1) {
    const page: { processes: readonly Process[]; next_after: number | null } = await call('v2/system/processes', {
      query: { after },
      signal,
    });
    processes.push(...page.processes);
    after = page.next_after;
  }
  return { processes, atMs: performance.now(), isPart: after !== null };
}
