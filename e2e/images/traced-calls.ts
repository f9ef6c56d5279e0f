import { posix } from 'node:path';

/** A path that a process has named to a system call. */
export interface TracedPath {
  /** Of the process at that call. */
  readonly uid: number;
  readonly call: string;
  /** Absolute. */
  readonly path: string;
}

/** System calls that name what they open, create, give, rename, remove, run or connect to; and those that change who calls. */
export const TRACED_CALLS: readonly string[] = [
  ...['open', 'openat', 'openat2', 'creat', 'execve', 'execveat', 'connect', 'bind'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat', 'unlink', 'unlinkat', 'rmdir'],
  ...['mkdir', 'mkdirat', 'mknod', 'mknodat', 'truncate', 'chown', 'lchown', 'fchownat', 'chmod', 'fchmodat'],
  ...['chdir', 'fchdir', 'setuid', 'setreuid', 'setresuid', 'clone', 'clone3', 'fork', 'vfork'],
];

const FORKS = new Set(['clone', 'clone3', 'fork', 'vfork']);
const CHANGES = new Set(['chdir', 'fchdir', 'setuid', 'setreuid', 'setresuid']);
const UNFINISHED = ' <unfinished ...>';
/** Their first text is not a path. */
const TEXT_FIRST = new Set(['symlink', 'symlinkat']);
/** Further texts are arguments. */
const ONE_PATH = new Set(['execve', 'execveat']);

interface Call {
  readonly pid: number;
  readonly name: string;
  /** What stands between the parentheses, of an unfinished call its beginning. */
  readonly args: string;
  readonly result: string;
}

interface Caller {
  readonly uid: number;
  readonly directory: string;
}

/**
 * Reads what `strace -f -y --pidns-translation -o` has written, from the first process on, which is root's.
 * @returns the paths in the order of the calls, also of calls that failed
 */
export function tracedPaths(trace: string): TracedPath[] {
  const calls = callsOf(trace);
  const callers = new Map<number, Caller>();
  const found: TracedPath[] = [];
  const [first] = calls;
  if (first) callers.set(first.pid, { uid: 0, directory: '/' });
  for (const call of calls) {
    const caller = callers.get(call.pid);
    if (caller === undefined) throw new Error(`no call has made the process ${call.pid}`);
    if (FORKS.has(call.name)) callers.set(childOf(call.result), caller);
    else if (CHANGES.has(call.name)) callers.set(call.pid, changed(caller, call));
    else for (const path of pathsOf(call, caller.directory)) found.push({ uid: caller.uid, call: call.name, path });
  }
  return found;
}

/** One entry a call, in the order of their beginnings. */
function callsOf(trace: string): Call[] {
  return wholeLines(trace).flatMap((line) => {
    const [, pid, name, args = ''] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    return name === undefined ? [] : { pid: Number(pid), name, args, result: resultOf(args) };
  });
}

/** A call that another one interrupts takes two lines: the second is appended to the first. */
function wholeLines(trace: string): string[] {
  const lines: string[] = [];
  const unfinished = new Map<string, number>();
  for (const line of trace.split('\n')) {
    const [, pid = '', end] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    const begun = unfinished.get(pid);
    if (end === undefined) {
      if (line.endsWith(UNFINISHED)) unfinished.set(line.slice(0, line.indexOf(' ')), lines.length);
      lines.push(line);
    } else if (begun !== undefined) {
      lines[begun] = `${lines[begun]?.slice(0, -UNFINISHED.length)}${end}`;
    }
  }
  return lines;
}

function resultOf(text: string): string {
  const at = text.lastIndexOf(' = ');
  return at < 0 ? '' : text.slice(at + 3);
}

/** Its pid as strace sees it. */
function childOf(result: string): number {
  return Number(/(\d+) in strace's PID NS/.exec(result)?.[1] ?? Number.parseInt(result, 10));
}

function changed(caller: Caller, { name, args, result }: Call): Caller {
  if (!result.startsWith('0')) return caller;
  const directory = name === 'chdir' ? textsOf(args)[0]?.text : /^\d+<([^>]*)>/.exec(args)?.[1];
  if (name === 'chdir' || name === 'fchdir') return { ...caller, directory: within(caller.directory, directory ?? '') };
  const ids = args.split(')')[0]?.split(', ').map(Number) ?? [];
  const uid = name === 'setuid' ? ids[0] : ids[1];
  return uid === undefined || Number.isNaN(uid) || uid < 0 || uid === 0xffffffff ? caller : { ...caller, uid };
}

function pathsOf({ name, args }: Call, directory: string): string[] {
  if (name === 'connect' || name === 'bind') {
    const path = /sun_path="([^"]*)"/.exec(args)?.[1];
    return path === undefined ? [] : [within(directory, path)];
  }
  const texts = textsOf(args).slice(TEXT_FIRST.has(name) ? 1 : 0, ONE_PATH.has(name) ? 1 : undefined);
  return texts.filter(({ text }) => text !== '').map(({ base, text }) => within(base ?? directory, text));
}

/** The quoted texts, each with the directory of the descriptor before it. */
function textsOf(args: string): { readonly base: string | undefined; readonly text: string }[] {
  const pattern = /(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g;
  return [...args.matchAll(pattern)].map(([, base, text = '']) => ({ base, text }));
}

function within(directory: string, path: string): string {
  return posix.join(path.startsWith('/') ? '/' : directory, path).replace(/(?<=.)\/$/, '');
}
