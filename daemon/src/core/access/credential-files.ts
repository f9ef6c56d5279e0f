import { type BigIntStats, fstatSync, readlinkSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { systemFailure } from '../files/file-failure.ts';
import { type FilePath, shownPath } from '../files/file-path.ts';
import { requireConfinedRead } from './caller.ts';

/** Where a daemon has its credentials. */
export interface Credentials {
  /** Paths of files with one each, also of files that do not exist yet. */
  readonly files: readonly string[];
  /** The credentials that are valid now. */
  readonly values: () => readonly string[];
}

/** Bytes of an environment or a command line of another process that are looked at. */
const PROCESS_BYTES = 16 * 1024 ** 2;
const PIECE_BYTES = 64 * 1024;
/** What stands before a key in an environment and in arguments (proc_pid_environ(5), proc_pid_cmdline(5)). */
const BEFORE_KEY = ['SVC_API_KEY=', 'SANDBOX_API_KEY=', '--api-key=', '--api-key\0', '--api-key '];

/** Of every daemon in this process. */
const withheld = new Set<Withheld>();

/**
 * From now on no call that reads files gets the content of these, by any name: neither links nor other mounts of a file
 * change its device and inode.
 */
export function withholdCredentials(credentials: Credentials): Disposable {
  const own = new Withheld(credentials);
  withheld.add(own);
  return { [Symbol.dispose]: () => void withheld.delete(own) };
}

/** Paths of all withheld files, for a thread of the process, which withholds them itself. */
export function credentialFiles(): string[] {
  return [...withheld].flatMap(({ credentials }) => credentials.files);
}

/** The credentials that are valid now, of every daemon in this process. */
export function credentialValues(): string[] {
  return [...withheld].flatMap(({ credentials }) => credentials.values());
}

/** Whether the content of an open file must not be given to a call. */
export function holdsCredential(descriptor: number): boolean {
  if (withheld.size === 0) return false;
  const stats = fstatSync(descriptor, { bigint: true });
  return isWithheld(stats) || (stats.size === 0n && isOfProcess(descriptor, stats));
}

/**
 * @throws FileFailure `permission_denied` for a file with a credential; SandboxError `forbidden` for one outside the
 * directories of the request
 */
export function requireNoCredential(descriptor: number, operation: string, path: FilePath): void {
  requireConfinedRead(descriptor, path);
  if (holdsCredential(descriptor)) throw credentialFailure(operation, path);
}

/** @throws FileFailure `permission_denied` if the path leads to a file with a credential */
export function requireNoCredentialAt(path: FilePath, operation: string): void {
  if (withheld.size === 0) return;
  const stats = lookUp(path);
  if (stats && isWithheld(stats)) throw credentialFailure(operation, path);
}

/**
 * Whether text is that of a file with a credential, for programs that open files themselves; by the values at the call.
 * Undefined if none exist.
 */
export function credentialText(): ((text: string) => boolean) | undefined {
  const values = credentialValues();
  if (values.length === 0) return undefined;
  return (text) => values.some((value) => isTextOf(text, value));
}

/** The file of a key or a token has one line; the record of a claim and the file of named keys are JSON. */
function isTextOf(text: string, value: string): boolean {
  if (text.includes(JSON.stringify(value))) return true;
  return text.includes(value) && text.split('\n').some((line) => line.trim() === value);
}

function credentialFailure(operation: string, path: FilePath): Error {
  const hint = 'it holds a credential of the service, which calls on files do not give';
  return systemFailure('EACCES', operation, shownPath(path), hint);
}

function isWithheld(stats: BigIntStats): boolean {
  for (const one of withheld) if (one.has(stats)) return true;
  return false;
}

/** Whether it is the memory of a process, or an environment or a command line that has the key in it. */
function isOfProcess(descriptor: number, { dev }: BigIntStats): boolean {
  if (lookUp('/proc')?.dev !== dev) return false;
  const name = basename(readlinkSync(`/proc/self/fd/${descriptor}`));
  if (name === 'mem') return true;
  if (name !== 'environ' && name !== 'cmdline') return false;
  const bytes = contentOf(descriptor);
  return credentialValues().some((value) => BEFORE_KEY.some((before) => bytes.includes(before + value)));
}

function contentOf(descriptor: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < PROCESS_BYTES; ) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const count = readSync(descriptor, piece, 0, piece.length, at);
    if (count === 0) break;
    pieces.push(piece.subarray(0, count));
    at += count;
  }
  return Buffer.concat(pieces);
}

function lookUp(path: FilePath): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

class Withheld {
  readonly credentials: Credentials;
  /** A file that was moved away is still withheld, for its credential stays valid. */
  readonly #last = new Map<string, BigIntStats>();

  constructor(credentials: Credentials) {
    this.credentials = credentials;
    for (const path of credentials.files) this.#now(path);
  }

  has({ dev, ino }: BigIntStats): boolean {
    return this.credentials.files.some((path) => {
      const file = this.#now(path);
      return file?.ino === ino && file.dev === dev;
    });
  }

  #now(path: string): BigIntStats | undefined {
    const stats = lookUp(path) ?? this.#last.get(path);
    if (stats) this.#last.set(path, stats);
    return stats;
  }
}
