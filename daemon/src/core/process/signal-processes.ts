import { type FoundProcess, findProcesses, hasProc } from './process-finder.ts';
import type { ProcessTarget } from './process-host.ts';

/** A program that forks faster than it can be found is left after this many looks. */
const MAX_ROUNDS = 64;

/** Signals every process of a target once and answers how many there were. SIGKILL looks again until nothing new is found. */
export async function signalProcesses(target: ProcessTarget, signal: NodeJS.Signals): Promise<number> {
  if (!hasProc) return signalGroup(target, signal) ? 1 : 0;
  const seen = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { processes, ownsPid } = await findProcesses(target);
    const fresh = processes.filter((found) => !seen.has(nameOf(found)));
    if (fresh.length === 0) break;
    for (const found of fresh) seen.add(nameOf(found));
    signalAll(fresh, ownsPid ? target.pid : undefined, signal);
    if (signal !== 'SIGKILL') break;
  }
  return seen.size;
}

/** The group in one call, which no fork escapes; each other process by itself. */
function signalAll(processes: readonly FoundProcess[], ownGroup: number | undefined, signal: NodeJS.Signals): void {
  if (processes.some(({ group }) => group === ownGroup)) send(-Number(ownGroup), signal);
  for (const { pid, group } of processes) if (group !== ownGroup) send(pid, signal);
}

/** Where there is no /proc. */
function signalGroup({ pid, running }: ProcessTarget, signal: NodeJS.Signals): boolean {
  if (pid <= 1) return false;
  if (process.platform === 'win32') return running && send(pid, signal);
  return send(-pid, signal);
}

/** False where it is gone, or another's. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function nameOf({ pid, startTime }: FoundProcess): string {
  return `${pid}:${startTime}`;
}
