import { readFileSync } from 'node:fs';
import type { Identity } from '../../account/identity.ts';
import { asAccount } from '../set-account.ts';
import { foregroundGroup } from './foreground.ts';
import {
  addDescendants,
  type FoundProcess,
  hasNewlyEnded,
  hasProc,
  KTHREADD,
  marksBy,
  type Scan,
  scan,
  statOf,
  uptimeTicks,
  withoutVariables,
  YOUNG_TICKS,
} from './process-finder.ts';

/** A moment, with what the shell had started before it. */
export interface Since {
  /** Clock ticks after boot. */
  readonly ticks: number;
  /** Children of the shell, since one of them may have been started in the same tick. */
  readonly children: readonly number[];
}

/** A shell on a terminal: the leader of its session. */
export interface ShellProcess {
  readonly pid: number;
  /** Its mark (`SVC_COMMAND_ID`). */
  readonly mark: string;
  /** Undefined: the account of the daemon. */
  readonly identity: Identity | undefined;
}

/** Undefined if the system does not show its processes. */
export function sinceNow(shell: number): Since | undefined {
  if (!hasProc) return undefined;
  return { ticks: Math.floor(uptimeTicks()), children: childrenOf(shell) };
}

/** What one look has found. */
export interface Look {
  readonly processes: readonly FoundProcess[];
  /**
   * False if a process may have escaped the look: it is in the middle of execve, when its environment reads as empty, or
   * what started it ended during the look. Look again.
   */
  readonly isSettled: boolean;
}

/**
 * Finds what a command of a shell has started: processes of the shell's session, its descendants and processes with its
 * mark, as far as they are younger than the command. What a process that existed before starts belongs to that one, and
 * so does its process group, unless the command has brought it to the foreground.
 */
export class StartedProcesses {
  readonly #shell: ShellProcess;
  readonly #since: Since;
  /** Processes that are known to be of another shell, by `pid:startTime`. */
  readonly #foreign = new Set<string>();
  /** The dead processes of the look before. */
  #ended: Scan['ended'] = new Map();

  constructor(shell: ShellProcess, since: Since) {
    this.#shell = shell;
    this.#since = since;
  }

  /**
   * Without the shell itself.
   * @param until processes that were started later count only if one that counts has started them, or one that has ended
   */
  async find(until?: Since): Promise<Look> {
    if (!hasProc) return { processes: [], isSettled: true };
    const { pid: shell } = this.#shell;
    const own = statOf(process.pid)?.group;
    const { living, ended } = scan();
    const all = living.filter(({ pid, group }) => pid > 1 && group !== own);
    const members = new Set(
      all.filter(({ pid, group, session }) => [pid, group, session].includes(shell)).map(({ pid }) => pid),
    );
    addDescendants(all, members);
    const { marked, areRead } = await this.#marked(all.filter(({ pid }) => !members.has(pid)));
    for (const pid of marked) members.add(pid);
    addDescendants(all, members);
    const isProof = !hasNewlyEnded(ended, this.#ended, mayHaveAdopted(living, members, shell));
    this.#ended = ended;
    const started = this.#younger(all, members, until);
    const front = foregroundGroup(shell);
    if (front !== undefined && front !== shell && until === undefined) {
      for (const { pid, group } of all) if (group === front) started.add(pid);
      addDescendants(all, started);
    }
    started.delete(shell);
    return { processes: all.filter(({ pid }) => started.has(pid)), isSettled: isProof && areRead };
  }

  #younger(all: readonly FoundProcess[], members: ReadonlySet<number>, until: Since | undefined): Set<number> {
    const { pid: shell } = this.#shell;
    const { ticks, children } = this.#since;
    const isOlder = ({ pid, startTime }: FoundProcess): boolean => Number(startTime) < ticks || children.includes(pid);
    // A process whose parent is not a living member was started by one that has ended.
    const isLater = ({ startTime, parent }: FoundProcess): boolean =>
      until !== undefined && Number(startTime) > until.ticks && members.has(parent);
    const ofShell = all.filter(({ pid }) => members.has(pid) && pid !== shell);
    const older = new Set(ofShell.filter(isOlder).map(({ pid }) => pid));
    const groups = new Set(ofShell.filter(isOlder).map(({ group }) => group));
    groups.delete(shell);
    addDescendants(all, older);
    const isOfOlder = ({ pid, group }: FoundProcess): boolean => older.has(pid) || groups.has(group);
    const started = new Set(ofShell.filter((one) => !isOfOlder(one) && !isLater(one)).map(({ pid }) => pid));
    addDescendants(all, started);
    return started;
  }

  /** Those with the mark of the shell, of the ones that are young enough to be of the command. */
  async #marked(others: readonly FoundProcess[]): Promise<{ marked: readonly number[]; areRead: boolean }> {
    const candidates = others.filter(
      (one) => Number(one.startTime) >= this.#since.ticks && one.parent !== KTHREADD && !this.#foreign.has(nameOf(one)),
    );
    if (candidates.length === 0) return { marked: [], areRead: true };
    const marks = await this.#marksOf(candidates.map(({ pid }) => pid));
    const settled = uptimeTicks() - YOUNG_TICKS;
    for (const one of candidates) {
      const found = marks.get(one.pid);
      // A young process may be in the middle of execve, when its environment reads as empty.
      if (found === undefined ? Number(one.startTime) < settled : found !== this.#shell.mark)
        this.#foreign.add(nameOf(one));
    }
    const marked = candidates.filter(({ pid }) => marks.get(pid) === this.#shell.mark);
    const unmarked = candidates.filter((one) => !marks.has(one.pid) && !this.#foreign.has(nameOf(one)));
    const areRead = unmarked.length === 0 || (await withoutVariables(unmarked.map(({ pid }) => pid))).length === 0;
    return { marked: await this.#withoutInherited(marked), areRead };
  }

  /**
   * Without the children of an older process with the mark, such as a tmux server: a child has the environment of its
   * parent until its execve.
   */
  async #withoutInherited(marked: readonly FoundProcess[]): Promise<number[]> {
    const pids = new Set(marked.map(({ pid }) => pid));
    const parents = new Set(marked.map(({ parent }) => parent).filter((pid) => pid > 1 && !pids.has(pid)));
    const marks = parents.size === 0 ? new Map<number, string>() : await this.#marksOf([...parents]);
    return marked.filter(({ parent }) => marks.get(parent) !== this.#shell.mark).map(({ pid }) => pid);
  }

  async #marksOf(pids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const { identity } = this.#shell;
    const readers = [(command: readonly string[]) => command, ...(identity ? [asThe(identity)] : [])];
    return new Map((await Promise.all(readers.map((reader) => marksBy(reader, pids)))).flat());
  }
}

/** Signals the process if it still is the one that was found; false if none exists, or it may not be signalled. */
export function signalFound({ pid, startTime }: FoundProcess, signal: NodeJS.Signals): boolean {
  if (statOf(pid)?.startTime !== startTime) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * Whether a process may have children that the command has started: a member, or one that adopts orphans, which are
 * ancestors of the shell and pid 1.
 */
function mayHaveAdopted(
  living: readonly FoundProcess[],
  members: ReadonlySet<number>,
  shell: number,
): (parent: number) => boolean {
  const parents = new Map(living.map(({ pid, parent }) => [pid, parent]));
  const adopters = new Set([1]);
  for (let at = parents.get(shell); at !== undefined && !adopters.has(at); at = parents.get(at)) adopters.add(at);
  // A parent that has ended since has left its children to one of them.
  return (parent) => members.has(parent) || adopters.has(parent) || !parents.has(parent);
}

function nameOf({ pid, startTime }: FoundProcess): string {
  return `${pid}:${startTime}`;
}

/** Whether the process ignores the signal with that number. */
export function ignoresSignal(pid: number, number: number): boolean {
  const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readText(`/proc/${pid}/status`))?.[1];
  return ignored !== undefined && ((BigInt(`0x${ignored}`) >> BigInt(number - 1)) & 1n) === 1n;
}

/** Whether the process waits for something, and the signal with that number for nothing; true if it does not exist. */
export function hasHandled(pid: number, number: number): boolean {
  const status = readText(`/proc/${pid}/status`);
  const waiting = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)].map(([, set]) => BigInt(`0x${set}`));
  const isPending = waiting.some((set) => ((set >> BigInt(number - 1)) & 1n) === 1n);
  return !isPending && !/^State:\s*R/m.test(status);
}

function asThe(identity: Identity) {
  return (command: readonly string[]): readonly string[] => asAccount(identity, command);
}

function childrenOf(pid: number): number[] {
  return readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
