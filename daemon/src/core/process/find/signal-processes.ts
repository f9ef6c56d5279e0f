import { pause } from '@sandbox/api/wait.ts';
import { errnoName } from '../../errno-name.ts';
import type { ProcessTarget } from '../process-host.ts';
import { type Found, type FoundProcess, findProcesses, hasLeft, hasNewlyEnded, hasProc } from './process-finder.ts';

/** Scans after which a program that forks faster than it can be found is given up. */
const MAX_ROUNDS = 64;

/** Milliseconds until a process that is in the middle of execve is examined again, and until it is waited for no more. */
const SETTLING_MS = 2;
const SETTLED_MS = 1000;
/** Milliseconds after which a scan that found nothing counts, though a process has ended meanwhile that may have forked. */
const PROVED_MS = 200;

/**
 * Finds every process of the targets, signals it once and returns how many there were. SIGKILL scans and kills again
 * until no process is found.
 */
export async function signalProcesses(targets: readonly ProcessTarget[], signal: NodeJS.Signals): Promise<number> {
  if (!hasProc) return targets.filter((target) => signalGroup(target, signal)).length;
  const signalled = new Set<string>();
  const isSettled = settling(signal);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await findProcesses(targets);
    const { processes, ownedPids } = found;
    const settled = isSettled(found);
    // A group was signalled as a whole in the first round: a process that is new in it was started since.
    const cameLater = ({ group }: FoundProcess): boolean => round > 0 && signal !== 'SIGKILL' && ownedPids.has(group);
    const fresh = processes.filter((process) => !signalled.has(nameOf(process)) && !cameLater(process));
    for (const reached of signalAll(signal === 'SIGKILL' ? processes : fresh, ownedPids, signal)) {
      signalled.add(nameOf(reached));
    }
    if (settled && (processes.length === 0 || signal !== 'SIGKILL')) break;
    if (!settled || fresh.length === 0) await pause(SETTLING_MS);
  }
  return signalled.size;
}

/** Whether no process can have escaped a scan, or it was waited for long enough; to be asked once for each scan. */
function settling(signal: NodeJS.Signals): (found: Found) => boolean {
  const begun = performance.now();
  let before: Found['ended'] = new Map();
  return ({ settled, ended }) => {
    const passed = performance.now() - begun;
    // For SIGKILL the last scan has to prove that nothing is left.
    const proves = signal !== 'SIGKILL' || !hasNewlyEnded(ended, before) || passed >= PROVED_MS;
    before = ended;
    return (settled && proves) || passed >= SETTLED_MS;
  };
}

/**
 * Signals a group in one call, which no fork escapes, and one by one the other processes and those that left a group.
 * Returns those that the signal reached.
 */
function signalAll(
  processes: readonly FoundProcess[],
  ownGroups: ReadonlySet<number>,
  signal: NodeJS.Signals,
): FoundProcess[] {
  const groups = new Set(processes.map(({ group }) => group).filter((group) => ownGroups.has(group)));
  for (const group of groups) send(-group, signal);
  return processes.filter(({ pid, group }) =>
    groups.has(group) && !hasLeft(pid, group) ? maySignal(pid) : send(pid, signal),
  );
}

/** A group is signalled as far as permissions go. */
function maySignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoName(error) !== 'EPERM';
  }
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

/** False if the process does not exist, or it belongs to another account. */
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
