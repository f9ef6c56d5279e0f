import { AsyncLocalStorage } from 'node:async_hooks';
import { readlinkSync, realpathSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type FilePath, shownPath } from '../files/file-path.ts';
import type { Confinement } from './scopes.ts';

/** What the calls on files of one request are confined to. */
const confinements = new AsyncLocalStorage<Confinement>();

/** Runs what handles a request whose credential is good for some directories. */
export function confineFiles(confinement: Confinement, run: () => void): void {
  confinements.run(confinement, run);
}

export function isConfined(): boolean {
  return confinements.getStore() !== undefined;
}

/**
 * Call it with the path of what is held open already: what takes a name on the way later changes nothing.
 * @param real a path without links
 * @throws SandboxError `forbidden`
 */
export function requireConfined(real: () => FilePath, access: 'read' | 'write'): void {
  const allowed = confinements.getStore()?.[access];
  if (allowed === undefined) return;
  const path = shownPath(real());
  if (allowed.some((directory) => isBelow(path, directory))) return;
  const verb = access === 'read' ? 'reading' : 'changing';
  throw new SandboxError('forbidden', `the scopes of the key do not cover ${verb} ${path}`, {
    hint: allowed.length > 0 ? `it is good for ${allowed.join(', ')}` : `no scope of it is good for ${verb} files`,
  });
}

/** As `requireConfined`, of a file that is open for reading. */
export function requireConfinedRead(descriptor: number, openedBy: FilePath): void {
  const isLinux = process.platform === 'linux';
  requireConfined(() => (isLinux ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync(openedBy)), 'read');
}

function isBelow(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}
