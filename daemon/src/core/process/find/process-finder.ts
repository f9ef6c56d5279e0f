import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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
}

/** A process is young for this many clock ticks, which are 10 ms on every Linux. */
const YOUNG_TICKS = 200;
const KTHREADD = 2;

/**
 * The living processes of the targets: their sessions, their groups, processes with one of their marks, and the
 * descendants of all these; never the daemon, its group, or pid 1. A pid that was reaped and reused is not a target's.
 * A child of the daemon that is a running target is found even in the daemon's group, which it leaves some time after
 * the fork.
 */
export async function findProcesses(targets: readonly ProcessTarget[]): Promise<Found> {
  const own = statOf(process.pid)?.group;
  const running = new Set(targets.filter((target) => target.running).map(({ pid }) => pid));
  const candidates = scan().filter(
    ({ pid, parent, group }) =>
      pid > 1 && pid !== process.pid && (group !== own || (parent === process.pid && running.has(pid))),
  );
  const living = new Set(candidates.map(({ pid }) => pid));
  const ownedPids = new Set(
    targets.filter(({ pid, running }) => pid > 1 && (running || !living.has(pid))).map(({ pid }) => pid),
  );
  const members = new Set<number>();
  for (const { pid, group, session } of candidates) {
    if (ownedPids.has(session) || ownedPids.has(group) || ownedPids.has(pid)) members.add(pid);
  }
  addDescendants(candidates, members);
  const others = candidates.filter(({ pid }) => !members.has(pid)).map(({ pid }) => pid);
  const { found, unnamed } = await marked(others, targets);
  for (const pid of found) members.add(pid);
  addDescendants(candidates, members);
  const youngest = uptimeTicks() - YOUNG_TICKS;
  const settled = !candidates.some(
    ({ pid, parent, startTime }) =>
      unnamed.has(pid) && !members.has(pid) && parent !== KTHREADD && Number(startTime) >= youngest,
  );
  return { processes: candidates.filter(({ pid }) => members.has(pid)), ownedPids, settled };
}

/** Whether a living process is not in that group any more. */
export function hasLeft(pid: number, group: number): boolean {
  const now = statOf(pid);
  return now !== undefined && now.group !== group;
}

function scan(): FoundProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) ? (statOf(pid) ?? []) : [];
  });
}

/** Undefined where there is no such process, or it is a zombie. */
function statOf(pid: number): FoundProcess | undefined {
  const text = readProc(pid, 'stat');
  if (typeof text === 'string') return undefined;
  const stat = text.toString('latin1');
  // The name may contain blanks and parentheses; the fields begin after the last parenthesis.
  const [state, parent, group, session, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || 'ZXx'.includes(state)) return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startTime: more[15] ?? '' };
}

function addDescendants(all: readonly FoundProcess[], members: Set<number>): void {
  let before: number;
  do {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  } while (members.size > before);
}

/** The processes with a mark of the targets, and those whose environment cannot be read yet. */
async function marked(
  pids: readonly number[],
  targets: readonly ProcessTarget[],
): Promise<{ found: readonly number[]; unnamed: ReadonlySet<number> }> {
  const ids = new Set(targets.map(({ id }) => id));
  const unnamed = new Set<number>();
  const found: number[] = [];
  const unreadable: number[] = [];
  for (const pid of pids) {
    const environ = readProc(pid, 'environ');
    if (environ === 'EACCES' || environ === 'EPERM') unreadable.push(pid);
    else if (environ.length === 0 && !hasNoVariables(pid)) unnamed.add(pid);
    else if (typeof environ !== 'string' && ids.has(markIn(environ) ?? '')) found.push(pid);
  }
  const accounts = new Map(targets.flatMap(({ identity }) => (identity ? [[identity.name, identity] as const] : [])));
  if (unreadable.length === 0) return { found, unnamed };
  for (const identity of accounts.values()) found.push(...(await markedAs(identity, ids, unreadable)));
  return { found, unnamed };
}

/**
 * Whether a process whose environment was read as empty has none. The kernel shows arguments and environment from the
 * same moment of execve on, and no program has neither; execve may have been over between the first two reads.
 */
function hasNoVariables(pid: number): boolean {
  return readProc(pid, 'cmdline').length > 0 && readProc(pid, 'environ').length === 0;
}

/** Without CAP_SYS_PTRACE (Docker's default) root cannot read the environment of other accounts; each account can. */
async function markedAs(identity: Identity, ids: ReadonlySet<string>, pids: readonly number[]): Promise<number[]> {
  const grep = ['grep', '-zsoE', '-e', MARK_PATTERN, '--', '/dev/null', ...pids.map((pid) => `/proc/${pid}/environ`)];
  const [file, ...args] = asAccount(identity, grep);
  const stdout = await promisify(execFile)(file, args, { env: { PATH: '/usr/bin:/bin' } }).then(
    (result) => result.stdout,
    // grep also fails, with a valid list, where one of many files could not be read.
    (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : ''),
  );
  return stdout.split('\0').flatMap((entry) => {
    const [, pid, id] = /^\/proc\/(\d+)\/environ:SVC_COMMAND_ID=(.*)$/s.exec(entry) ?? [];
    return ids.has(id ?? '') ? [Number(pid)] : [];
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

function uptimeTicks(): number {
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
