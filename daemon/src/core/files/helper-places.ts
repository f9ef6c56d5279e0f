import { readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { errnoName } from '../errno-name.ts';
import { discard } from './discard.ts';
import { isOwnDirectory, tempDirectory } from './temp-directory.ts';

/** Errors of a directory without room, and of one that cannot be made, as on a read-only disk. */
const UNUSABLE: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM'];
/** Files that keep room for helper files; each gives way to one when both disks are full. */
const RESERVES: readonly string[] = ['reserve-0', 'reserve-1', 'reserve-2', 'reserve-3'];
const RESERVE_BYTES = 64 * 1024;

/**
 * Directories for files that processes of accounts open by name: one in the temporary directory, and one beside the
 * runtime directory, which serves while the account has filled the first. Both belong to the daemon. The second one
 * keeps some room for the case that both are on one full disk.
 */
export class HelperPlaces implements Disposable {
  readonly #kind: string;
  readonly #runtimeDir: string;
  readonly #found = new Map<string, string>();
  readonly #reserves = new Set<string>();

  constructor(kind: string, runtimeDir: string) {
    this.#kind = kind;
    this.#runtimeDir = runtimeDir;
    // Made now, since a full disk may have no room for them later.
    for (const parent of this.#parents()) attempt(() => this.#directoryIn(parent));
    this.#refill();
  }

  /** The directories that there are; files of an earlier daemon may be in them. */
  get directories(): readonly string[] {
    return [...this.#found.values()];
  }

  /** Paths of what is in the directories, without the reserve. */
  entries(): string[] {
    const present = this.directories.filter(isOwnDirectory);
    const paths = present.flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)));
    return paths.filter((path) => !this.#reserves.has(path));
  }

  /**
   * Calls `make` with a directory, and with the next one if the first has no room; `make` removes what it has begun.
   * @throws SandboxError `disk_full` if no directory has room
   */
  place<T>(make: (directory: string) => T): T {
    let first: unknown;
    for (const parent of this.#parents()) {
      const made = attempt(() => make(this.#directoryIn(parent)));
      if ('value' in made) {
        this.#refill();
        return made.value;
      }
      first ??= made.error;
    }
    for (const reserve of this.#reserves) {
      discard(reserve);
      this.#reserves.delete(reserve);
      const made = attempt(() => make(dirname(reserve)));
      if ('value' in made) return made.value;
    }
    throw new SandboxError('disk_full', `no space left in ${tmpdir()}`, {
      hint: 'remove files there with POST /v2/fs/delete or a command of POST /v2/commands',
      cause: first,
    });
  }

  /** Removes the files of an earlier daemon. */
  clear(): void {
    for (const path of this.entries()) discard(path);
  }

  /** Removes the reserve, and the directories that are empty. */
  release(): void {
    for (const reserve of this.#reserves) discard(reserve);
    for (const directory of this.directories) {
      try {
        rmdirSync(directory);
      } catch {
        // The next daemon finds what is in it.
      }
    }
  }

  /** Removes the directories with what is in them. */
  [Symbol.dispose](): void {
    for (const directory of this.directories) rmSync(directory, { recursive: true, force: true });
  }

  #parents(): readonly string[] {
    return [tmpdir(), dirname(this.#runtimeDir)];
  }

  /** A program may have removed the directory, as `rm -rf /tmp/*` does: it is made again. */
  #directoryIn(parent: string): string {
    const found = this.#found.get(parent);
    if (found !== undefined && isOwnDirectory(found)) return found;
    for (const reserve of this.#reserves) if (dirname(reserve) === found) this.#reserves.delete(reserve);
    const made = tempDirectory(this.#kind, this.#runtimeDir, parent);
    this.#found.set(parent, made);
    return made;
  }

  #refill(): void {
    const beside = this.#found.get(dirname(this.#runtimeDir));
    if (beside === undefined || !isOwnDirectory(beside)) return;
    for (const path of RESERVES.map((name) => join(beside, name))) {
      if (this.#reserves.has(path)) continue;
      const made = attempt(() => writeFileSync(path, Buffer.alloc(RESERVE_BYTES), { mode: 0o600 }));
      if (!('value' in made)) {
        discard(path);
        return;
      }
      this.#reserves.add(path);
    }
  }
}

interface Done<T> {
  readonly value: T;
}

/** Returns the failure of a directory that cannot be used now; throws any other. */
function attempt<T>(act: () => T): Done<T> | { readonly error: unknown } {
  try {
    return { value: act() };
  } catch (error) {
    if (!UNUSABLE.includes(errnoName(error))) throw error;
    return { error };
  }
}
