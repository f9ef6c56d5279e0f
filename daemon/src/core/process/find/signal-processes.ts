import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessTarget } from '../process-host.ts';
import { type FoundProcess, findProcesses, hasLeft, hasProc } from './process-finder.ts';

/** A program that forks faster than it can be found is left after this many looks. */
const MAX_ROUNDS = 64;

/** Milliseconds until a process that is in the middle of execve is looked at again. */
const SETTLING_MS = 2;

/**
 * Signals every process of the targets once and answers how many there were. SIGKILL looks again, and kills again,
 * until nothing is found.
 */
export async function signalProcesses(targets: readonly ProcessTarget[], signal: NodeJS.Signals): Promise<number> {
  if (!hasProc) return targets.filter((target) => signalGroup(target, signal)).length;
  const seen = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { processes, ownedPids, settled } = await findProcesses(targets);
    // A group was signalled as a whole in the first round: what is in it now was started since, perhaps in answer.
    const cameLater = ({ group }: FoundProcess): boolean => round > 0 && signal !== 'SIGKILL' && ownedPids.has(group);
    const fresh = processes.filter((found) => !seen.has(nameOf(found)) && !cameLater(found));
    for (const found of fresh) seen.add(nameOf(found));
    signalAll(signal === 'SIGKILL' ? processes : fresh, ownedPids, signal);
    if (settled && (processes.length === 0 || signal !== 'SIGKILL')) break;
    if (!settled || fresh.length === 0) await delay(SETTLING_MS);
  }
  return seen.size;
}

/** A group in one call, which no fork escapes; each other process by itself, and what has left its group meanwhile. */
function signalAll(processes: readonly FoundProcess[], ownGroups: ReadonlySet<number>, signal: NodeJS.Signals): void {
  const groups = new Set(processes.map(({ group }) => group).filter((group) => ownGroups.has(group)));
  for (const group of groups) send(-group, signal);
  for (const { pid, group } of processes) if (!groups.has(group) || hasLeft(pid, group)) send(pid, signal);
}

/** How many processes of the targets live. */
export async function countProcesses(targets: readonly ProcessTarget[]): Promise<number> {
  if (hasProc) return (await findProcesses(targets)).processes.length;
  return targets.filter(({ running }) => running).length;
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
