import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import type { ProcessEntry, ProcessPage, ProcessQuery } from './process-entry.ts';

/** Bytes of the arguments of a process that are read. */
const COMMAND_BYTES = 1024;
/** Clock ticks a second on every Linux. */
const TICKS = 100;
const KIB = 1024;
/** Waits in the kernel, perhaps for a file system that does not answer: a read of its memory would wait too. */
const UNINTERRUPTIBLE = 'D';

/**
 * Processes in the order of their pids. The work grows with the number of pids and with `limit`.
 * @param atCommand called with a pid before its arguments are read, and with 0 after it: that read may wait for ever
 * @throws Error without /proc
 */
export function readProcesses(query: ProcessQuery, atCommand: (pid: number) => void): ProcessPage {
  const pids = readdirSync('/proc').map(Number);
  const later = pids.filter((pid) => Number.isInteger(pid) && pid > query.after).sort((a, b) => a - b);
  const skipped = new Set(query.withoutCommand);
  const processes: ProcessEntry[] = [];
  let hasMore = false;
  for (const pid of later) {
    const found = entryOf(pid, query.uid);
    if (found === undefined) continue;
    hasMore = processes.length >= query.limit;
    if (hasMore) break;
    const isReadable = found.state !== UNINTERRUPTIBLE && !skipped.has(pid);
    processes.push(isReadable ? { ...found, command: commandOf(pid, atCommand) } : found);
  }
  return { processes, hasMore, bootSeconds: bootSeconds() };
}

/** Undefined if it has ended, or belongs to another account than `uid`. */
function entryOf(pid: number, uid: number | undefined): ProcessEntry | undefined {
  const status = textOf(`/proc/${pid}/status`);
  const owner = numberIn(status, 'Uid');
  if (owner === undefined || (uid !== undefined && owner !== uid)) return undefined;
  const stat = textOf(`/proc/${pid}/stat`);
  // The name may contain blanks and parentheses; the fields begin after the last parenthesis.
  const nameEnd = stat.lastIndexOf(')');
  const fields = stat.slice(nameEnd + 2).split(' ');
  const [state = '', parent] = fields;
  if (nameEnd < 0) return undefined;
  return {
    pid,
    parent: Number(parent),
    uid: owner,
    state,
    name: utf8(stat.slice(stat.indexOf('(') + 1, nameEnd)),
    command: undefined,
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
    memory: (numberIn(status, 'VmRSS') ?? 0) * KIB,
    threads: Number(fields[17]),
    startTicks: Number(fields[19]),
  };
}

/** Undefined for a thread of the kernel, a process that has ended, and one without arguments. */
function commandOf(pid: number, atCommand: (pid: number) => void): string | undefined {
  atCommand(pid);
  const text = beginOf(`/proc/${pid}/cmdline`);
  atCommand(0);
  let end = text.length;
  while (text[end - 1] === '\0') end -= 1;
  return end === 0 ? undefined : text.slice(0, end).replaceAll('\0', ' ');
}

function beginOf(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(COMMAND_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, COMMAND_BYTES, 0));
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function bootSeconds(): number {
  return numberIn(textOf('/proc/stat'), 'btime') ?? 0;
}

/** The first number of a line `NAME: 1 2 3` or `NAME 1`. */
function numberIn(text: string, name: string): number | undefined {
  const at = text.startsWith(name) ? 0 : text.indexOf(`\n${name}`) + 1;
  if (at === 0 && !text.startsWith(name)) return undefined;
  const value = Number.parseInt(text.slice(at + name.length).replace(/^[:\s]+/, ''), 10);
  return Number.isFinite(value) ? value : undefined;
}

/** Each byte is a character. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
