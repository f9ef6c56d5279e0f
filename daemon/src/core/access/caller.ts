import { AsyncLocalStorage } from 'node:async_hooks';
import { readlinkSync, realpathSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type FilePath, shownPath } from '../files/file-path.ts';
import type { Actor } from '../recorder/event.ts';
import type { Credential } from './credential.ts';
import { type Confinement, confinementOf } from './scopes.ts';

/** Whose request it is that something runs for. */
interface Caller {
  readonly name: string | undefined;
  readonly confinement: Confinement | undefined;
  /** Whether the key itself is good for some directories alone, and not only the work that it does. */
  readonly hasKeyForFiles: boolean;
  /** Undefined unless something records. */
  readonly source: RequestSource | undefined;
}

/** By what a request was sent, for records of it. */
export interface RequestSource {
  readonly protocol: string;
  /** What the client calls itself. */
  readonly claimed: string | null;
}

const callers = new AsyncLocalStorage<Caller>();
/** Paths of the service, without links, for each daemon of this process. */
const reserved = new Set<() => readonly string[]>();

/** From now on no key for files alone reads or changes these, what is below them, or the names of directories above. */
export function reservePaths(paths: () => readonly string[]): Disposable {
  reserved.add(paths);
  return { [Symbol.dispose]: () => void reserved.delete(paths) };
}

/** Runs what handles a request in the name of its credential. */
export function runAs(credential: Credential, run: () => void, source?: RequestSource): void {
  const confinement = confinementOf(credential);
  if (credential.name === undefined && confinement === undefined && source === undefined) run();
  else callers.run({ name: credential.name, confinement, hasKeyForFiles: confinement !== undefined, source }, run);
}

/** Runs what handles files of one directory alone. @param directory a path without links */
export function runBelow<T>(directory: string, run: () => T): T {
  const confinement = { read: [directory], write: [directory] };
  const { name, source } = callers.getStore() ?? {};
  return callers.run({ name, confinement, hasKeyForFiles: hasKeyForFiles(), source }, run);
}

/** The name of the key of the request that the caller works for; null if it has none. */
export function callerName(): string | null {
  return callers.getStore()?.name ?? null;
}

/** Who sent the request that the caller works for; null: it works for none. */
export function callerActor(): Actor | null {
  const caller = callers.getStore();
  return caller?.source === undefined ? null : { key: caller.name ?? null, ...caller.source };
}

export function isConfined(): boolean {
  return callers.getStore()?.confinement !== undefined;
}

/** Whether it is a request with a key that is good for the files of some directories alone. */
export function hasKeyForFiles(): boolean {
  return callers.getStore()?.hasKeyForFiles === true;
}

/**
 * Call it with the path of what is held open already: what takes a name on the way later changes nothing.
 * @param real a path without links
 * @throws SandboxError `forbidden`
 */
export function requireConfined(real: () => FilePath, access: 'read' | 'write'): void {
  const allowed = callers.getStore()?.confinement?.[access];
  if (allowed === undefined) return;
  const path = shownPath(real());
  if (hasKeyForFiles()) requireUnreserved(path, access);
  if (allowed.some((directory) => isBelow(path, directory))) return;
  const verb = access === 'read' ? 'reading' : 'changing';
  throw new SandboxError('forbidden', `the scopes of the key do not cover ${verb} ${path}`, {
    hint: allowed.length > 0 ? `it is good for ${allowed.join(', ')}` : `no scope of it is good for ${verb} files`,
  });
}

/** Set-user-ID and set-group-ID. */
const SPECIAL_BITS = 0o6000;

/** @throws SandboxError `forbidden` if a key for files alone makes a file that runs as its owner */
export function requirePlainMode(mode: number | undefined): void {
  if (!hasKeyForFiles() || mode === undefined || (mode & SPECIAL_BITS) === 0) return;
  throw new SandboxError('forbidden', 'a key for files alone makes no file that runs as its owner or group', {
    hint: 'give a mode without set-user-ID and set-group-ID, such as 755',
  });
}

function requireUnreserved(path: string, access: 'read' | 'write'): void {
  for (const own of [...reserved].flatMap((paths) => paths())) {
    if (!isBelow(path, own) && !(access === 'write' && isBelow(own, path))) continue;
    throw new SandboxError('forbidden', `${path} belongs to the service`, {
      hint: 'a key for files alone has no access to the keys and the records of the service',
    });
  }
}

/** As `requireConfined`, of a file that is open for reading. */
export function requireConfinedRead(descriptor: number, openedBy: FilePath): void {
  const isLinux = process.platform === 'linux';
  requireConfined(() => (isLinux ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync(openedBy)), 'read');
}

function isBelow(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}
