import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Identity } from '../../account/identity.ts';
import { errnoName } from '../../errno-name.ts';
import { COMMAND_ID_VARIABLE } from '../environment.ts';
import type { ProcessTarget } from '../process-host.ts';
import { asAccount } from '../set-account.ts';

/** A process as /proc/PID/stat shows it (proc(5)). */
export interface FoundProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks after boot; together with the pid it identifies one process. */
  readonly startTime: string;
}

/** A whole entry of an environment, as `grep -z` sees one. */
const MARK_PATTERN = `^${COMMAND_ID_VARIABLE}=.*$`;

/** Whether this system shows its processes under /proc. */
export const hasProc = process.platform === 'linux';

export interface Found {
  readonly processes: readonly FoundProcess[];
  /** Pids of the targets that still own the session and group of that number. */
  readonly ownedPids: ReadonlySet<number>;
  /** False while a young process is in the middle of execve, when its environment cannot be read: scan again. */
  readonly settled: boolean;
  /** As `Scan` has it. */
  readonly ended: Scan['ended'];
}

/** One pass through /proc, which is not of one moment. */
export interface Scan {
  readonly living: readonly FoundProcess[];
  /**
   * Processes that had ended before their stat was read, by name, with their parents; undefined for one that was reaped. One
   * that is not among those of the pass before may have forked after the list was read: its child is in no list, so that
   * the pass proves nothing about it.
   */
  readonly ended: ReadonlyMap<string, number | undefined>;
}

/** A process is young for this many clock ticks, which are 10 ms on every Linux. */
export const YOUNG_TICKS = 200;
export const KTHREADD = 2;
/** Milliseconds that another process may take to read marks. */
const READ_MS = 1000;

/**
 * The living processes of the targets: their sessions, their groups, processes with one of their marks, and the
 * descendants of all these; never the daemon, its group, or pid 1. A pid that was reaped and reused is not a target's,
 * nor is a session or group of that number if a process in it has another mark. A child of the daemon that is a
 * running target is found even in the daemon's group, which it leaves some time after the fork.
 */
export async function findProcesses(targets: readonly ProcessTarget[]): Promise<Found> {
  const own = statOf(process.pid)?.group;
  const running = new Set(targets.filter((target) => target.running).map(({ pid }) => pid));
  const { living: all, ended: dead } = scan();
  const candidates = all.filter(
    ({ pid, parent, group }) =>
      pid > 1 && pid !== process.pid && (group !== own || (parent === process.pid && running.has(pid))),
  );
  const living = new Set(candidates.map(({ pid }) => pid));
  const led = targets.filter(({ pid, running }) => pid > 1 && (running || !living.has(pid)));
  const owned = new Set(led.filter((target) => target.running).map(({ pid }) => pid));
  const ended = new Set(led.filter((target) => !target.running).map(({ pid }) => pid));
  const members = new Set(
    candidates.filter(({ pid, group, session }) => [pid, group, session].some((one) => owned.has(one))).map(pidOf),
  );
  addDescendants(candidates, members);
  const others = candidates.filter(({ pid }) => !members.has(pid));
  const { marks, unnamed } = await marksOf(others.map(pidOf), targets);
  const ids = new Set(targets.map(({ id }) => id));
  for (const { pid } of others) if (ids.has(marks.get(pid) ?? '')) members.add(pid);
  for (const pid of leftBehind(others, ended, ids, marks)) members.add(pid);
  addDescendants(candidates, members);
  const youngest = uptimeTicks() - YOUNG_TICKS;
  const settled = !candidates.some(
    ({ pid, parent, startTime }) =>
      unnamed.has(pid) && !members.has(pid) && parent !== KTHREADD && Number(startTime) >= youngest,
  );
  const ownedPids = new Set([...owned, ...ended]);
  return { processes: candidates.filter(({ pid }) => members.has(pid)), ownedPids, settled, ended: dead };
}

/**
 * Pids of what is in sessions and groups of targets that have ended. The number of one in which a process has a
 * foreign mark was reused: it is removed from `ended`.
 */
function leftBehind(
  all: readonly FoundProcess[],
  ended: Set<number>,
  own: ReadonlySet<string>,
  marks: ReadonlyMap<number, string>,
): number[] {
  const claimed = all.filter(({ session, group }) => ended.has(session) || ended.has(group));
  const isForeign = ({ pid }: FoundProcess): boolean => marks.has(pid) && !own.has(marks.get(pid) ?? '');
  for (const { session, group } of claimed.filter(isForeign)) for (const one of [session, group]) ended.delete(one);
  return claimed.filter((process) => !isForeign(process)).map(pidOf);
}

function pidOf({ pid }: FoundProcess): number {
  return pid;
}

/** Whether a living process is not in that group any more. */
export function hasLeft(pid: number, group: number): boolean {
  const now = statOf(pid);
  return now !== undefined && now.group !== group;
}

/** Every process of the system. */
export function scan(): Scan {
  const [living, ended] = [[] as FoundProcess[], new Map<string, number | undefined>()];
  for (const pid of readdirSync('/proc').map(Number)) {
    if (!Number.isInteger(pid)) continue;
    const found = readStat(pid);
    if (found?.isLiving === true) living.push(found);
    else ended.set(`${pid}:${found?.startTime}`, found?.parent);
  }
  return { living, ended };
}

/** Whether a pass is the first to show a process as dead, except for children of those that do not `matter`. */
export function hasNewlyEnded(
  ended: Scan['ended'],
  before: Scan['ended'],
  matters: (parent: number) => boolean = () => true,
): boolean {
  return [...ended].some(([name, parent]) => !before.has(name) && (parent === undefined || matters(parent)));
}

/** Undefined if the process does not exist, or it is a zombie. */
export function statOf(pid: number): FoundProcess | undefined {
  const found = readStat(pid);
  return found?.isLiving === true ? found : undefined;
}

/** Undefined if the process does not exist. */
function readStat(pid: number): (FoundProcess & { readonly isLiving: boolean }) | undefined {
  const text = readProc(pid, 'stat');
  if (typeof text === 'string') return undefined;
  const stat = text.toString('latin1');
  // The name may contain blanks and parentheses; the fields begin after the last parenthesis.
  const [state, parent, group, session, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ids = { pid, parent: Number(parent), group: Number(group), session: Number(session) };
  return { ...ids, startTime: more[15] ?? '', isLiving: state !== undefined && !'ZXx'.includes(state) };
}

/** Adds the descendants of the members to the members. */
export function addDescendants(all: readonly FoundProcess[], members: Set<number>): void {
  let before: number;
  do {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  } while (members.size > before);
}

/** The marks of processes, as far as they can be read, and the processes whose environment cannot be read yet. */
async function marksOf(
  pids: readonly number[],
  targets: readonly ProcessTarget[],
): Promise<{ marks: ReadonlyMap<number, string>; unnamed: ReadonlySet<number> }> {
  const unnamed = new Set<number>();
  const marks = new Map<number, string>();
  const unreadable: number[] = [];
  for (const pid of pids) {
    const environ = readProc(pid, 'environ');
    if (environ === 'EACCES' || environ === 'EPERM') unreadable.push(pid);
    else if (environ.length === 0 && !hasNoVariables(pid)) unnamed.add(pid);
    const id = typeof environ === 'string' ? undefined : markIn(environ);
    if (id !== undefined) marks.set(pid, id);
  }
  const accounts = new Map(targets.flatMap(({ identity }) => (identity ? [[identity.name, identity] as const] : [])));
  if (unreadable.length === 0) return { marks, unnamed };
  for (const identity of accounts.values()) {
    for (const [pid, id] of await marksAs(identity, unreadable)) marks.set(pid, id);
  }
  return { marks, unnamed };
}

/**
 * Whether a process whose environment was read as empty has none. The kernel shows arguments and environment from the
 * same moment of execve on, and no program has neither; execve may have been over between the first two reads.
 */
function hasNoVariables(pid: number): boolean {
  return readProc(pid, 'cmdline').length > 0 && readProc(pid, 'environ').length === 0;
}

/** Without CAP_SYS_PTRACE (Docker's default) root cannot read the environment of other accounts; each account can. */
function marksAs(identity: Identity, pids: readonly number[]): Promise<[pid: number, id: string][]> {
  return marksBy((command) => asAccount(identity, command), pids);
}

/**
 * The marks of processes as another process reads them: a read of an environment waits for the memory of that process,
 * which may be on a file system that does not answer.
 */
export async function marksBy(
  asReader: (command: readonly string[]) => readonly string[],
  pids: readonly number[],
): Promise<[pid: number, id: string][]> {
  const paths = pids.map((pid) => `/proc/${pid}/environ`);
  const stdout = await grep(asReader(['grep', '-zsoE', '-e', MARK_PATTERN, '--', '/dev/null', ...paths]));
  return stdout.split('\0').flatMap((entry) => {
    const [, pid, id] = /^\/proc\/(\d+)\/environ:SVC_COMMAND_ID=(.*)$/s.exec(entry) ?? [];
    return id === undefined ? [] : [[Number(pid), id] as [number, string]];
  });
}

/** The value of the mark in the environment of a process. */
function markIn(environ: Buffer): string | undefined {
  const entry = `${COMMAND_ID_VARIABLE}=`;
  return environ
    .toString('latin1')
    .split('\0')
    .find((variable) => variable.startsWith(entry))
    ?.slice(entry.length);
}

/**
 * Those whose environment reads as empty: in the middle of execve, or without variables. One that may not be read is not
 * among them.
 */
export async function withoutVariables(pids: readonly number[]): Promise<number[]> {
  const paths = pids.map((pid) => `/proc/${pid}/environ`);
  const stdout = await grep(['grep', '-zsL', '-e', '', '--', '/dev/null', ...paths]);
  return stdout.split('\n').flatMap((path) => {
    const pid = Number(path.split('/')[2]);
    return path.endsWith('/environ') && maySeeEnvironment(pid) ? [pid] : [];
  });
}

/** Opens the environment; a read could wait for the memory of the process. */
function maySeeEnvironment(pid: number): boolean {
  try {
    closeSync(openSync(`/proc/${pid}/environ`, 'r'));
    return true;
  } catch {
    return false;
  }
}

/** What grep prints. */
async function grep([file = '', ...args]: readonly string[]): Promise<string> {
  const options = { env: { PATH: '/usr/bin:/bin' }, timeout: READ_MS, killSignal: 'SIGKILL' } as const;
  return promisify(execFile)(file, args, options).then(
    (result) => result.stdout,
    // grep also fails, with a valid list, if one of many files could not be read.
    (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : ''),
  );
}

/** Clock ticks since boot, as processes have them. */
export function uptimeTicks(): number {
  return Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) * 100;
}

/** The content, or the errno name. */
function readProc(pid: number, file: string): Buffer | string {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch (error) {
    return errnoName(error);
  }
}
