import { closeSync, constants, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type FilePath, shownPath } from '../file-path.ts';
import { isLeased, type LeasePatience, unleased } from './unleased.ts';

/** Milliseconds between two looks at the leases of the system. */
const LOOK_MS = 1000;

/**
 * Inodes of files whose open for reading a lease blocks (proc_locks(5)); empty without /proc. Another file may have the
 * same inode on another file system.
 */
export async function leasedInodes(): Promise<ReadonlySet<number>> {
  return new Set((await leases()).filter(({ blocks }) => blocks).map(({ inode }) => inode));
}

/** Whether a lease keeps a file closed; other failures are left to the caller that opens it. */
export async function isClosed(path: FilePath, patience: LeasePatience): Promise<boolean> {
  try {
    await requireUnleased(path, patience);
    return false;
  } catch (error) {
    return isLeased(error);
  }
}

/** @throws FileFailure with the code `EAGAIN` if a lease keeps the file closed; else as `open` does */
export async function requireUnleased(path: FilePath, patience: LeasePatience): Promise<void> {
  const open = (): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  closeSync(await unleased('open', shownPath(path), open, patience));
}

/** Looks whether a program waits for leases: it opens files without O_NONBLOCK, and the kernel makes it wait 45 s. */
export class LeaseWatch implements Disposable {
  readonly #blocked = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #known: ReadonlySet<number>;
  #before = new Set<number>();

  /** @param known inodes of files that the program does not open */
  constructor(known: ReadonlySet<number>) {
    this.#known = known;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** Fires when a lease has been waited for over 1 s. */
  get blocked(): AbortSignal {
    return this.#blocked.signal;
  }

  async #look(): Promise<void> {
    const found = (await leases()).filter(({ isBreaking, inode }) => isBreaking && !this.#known.has(inode));
    const now = found.map(({ inode }) => inode);
    if (now.some((inode) => this.#before.has(inode))) this.#blocked.abort();
    this.#before = new Set(now);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

interface Lease {
  readonly inode: number;
  /** An open waits for its end. */
  readonly isBreaking: boolean;
  readonly blocks: boolean;
}

async function leases(): Promise<Lease[]> {
  const text = await readFile('/proc/locks', 'latin1').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [, kind, state, type, , file = ''] = line.split(/ +/);
    if (kind !== 'LEASE') return [];
    const isBreaking = state === 'BREAKING';
    return [{ inode: Number(file.split(':')[2]), isBreaking, blocks: isBreaking || type === 'WRITE' }];
  });
}
