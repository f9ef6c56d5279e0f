import { type FilePath, latin1Of, shownPath } from '../file-path.ts';
import { TarFault } from './tar-fault.ts';

/** Bytes of a name: PATH_MAX of Linux. */
const NAME_BYTES = 4096;

/** Parts of a name below the root, as byte strings; empty for the root itself. */
export type Parts = readonly string[];

/**
 * The place of an entry below the root.
 * @throws TarFault for an absolute name, one with `..`, and a longer one than the system takes
 */
export function partsOf(name: FilePath, what: string): Parts {
  const text = latin1Of(name);
  const refuse = (why: string): Error => new TarFault(`${what} ${why}: ${shownPath(name)}`);
  if (text.length > NAME_BYTES) throw new TarFault(`${what} has over ${NAME_BYTES} bytes`);
  if (text.startsWith('/')) throw refuse('is absolute');
  if (text.includes('\0')) throw refuse('contains NUL');
  const parts = pathSegments(text);
  if (parts.includes('..')) throw refuse('contains ..');
  return parts;
}

export function keyOf(parts: Parts): string {
  return parts.join('/');
}

/** The key of an entry's parent; empty for the root. */
export function parentKeyOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

export function pathSegments(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
