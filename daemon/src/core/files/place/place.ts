import { type BigIntStats, lstatSync, type Stats } from 'node:fs';
import { isConfined, requireConfined } from '../../access/caller.ts';
import { systemCodeOf, systemFailure } from '../file-failure.ts';
import { type FilePath, joinPath, parentOf, samePath, shownPath } from '../file-path.ts';
import type { Owner } from '../ownership.ts';
import { type Entry, HeldDirectory } from './held-directory.ts';
import { makeDirectory } from './make-directory.ts';
import { Reach } from './reach.ts';
import { type Resolved, resolve } from './resolve.ts';

export interface FindTerms {
  /** Whether a link in the last place is followed. */
  readonly follow: boolean;
  /** What a request that is confined to some directories must be allowed to do there; default: write. */
  readonly access?: 'read' | 'write';
}

/**
 * What a path names, found once: a name in a directory that is held open. What is done by it stays there, whatever takes
 * the names on the way meanwhile. The directory and its parents may be missing.
 */
export class Place implements Entry, Disposable {
  readonly name: FilePath;
  /** As it was when the place was found. */
  readonly existing: Stats | undefined;
  readonly reach: Reach;
  /** Whether a link on the way led to what does not exist. */
  readonly isDangling: boolean;
  /** The path as it was given, for messages. */
  readonly shown: string;
  readonly #operation: string;
  #directory: HeldDirectory;
  #missing: readonly FilePath[];
  /** Whether this call made the directory, so that no account can have planted a link to it. */
  #isMade = false;

  private constructor(path: FilePath, operation: string, { follow, access = 'write' }: FindTerms) {
    const { directory, missing, name, existing, linkOwners, isDangling } = find(path, operation, { follow, access });
    this.shown = shownPath(path);
    this.#operation = operation;
    this.#directory = directory;
    this.#missing = missing;
    this.name = name;
    this.existing = existing;
    this.isDangling = isDangling;
    this.reach = new Reach(linkOwners, operation, this.shown);
    try {
      requireConfined(() => this.path, access);
    } catch (error) {
      this.#directory[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * @throws as `lstat` does for the directories; FileFailure `ELOOP`, `ENAMETOOLONG`; SandboxError `forbidden` outside
   * the directories of the request
   */
  static find(path: FilePath, operation: string, terms: FindTerms): Place {
    return new Place(path, operation, terms);
  }

  get directory(): HeldDirectory {
    if (this.#missing.length > 0) throw systemFailure('ENOENT', this.#operation, this.shown);
    return this.#directory;
  }

  get at(): FilePath {
    return this.directory.at(this.name);
  }

  /** The path without links, of what may not exist yet. */
  get path(): FilePath {
    return [...this.#missing, this.name].reduce(joinPath, this.#directory.path);
  }

  /** Path of the directory without links, which may not exist yet. */
  get directoryPath(): FilePath {
    return this.#missing.reduce(joinPath, this.#directory.path);
  }

  /** What is there now; a link in the last place is not followed. */
  lookUp(): BigIntStats | undefined {
    if (this.#missing.length > 0) return undefined;
    return lstatSync(this.at, { bigint: true, throwIfNoEntry: false });
  }

  /** @throws FileFailure `not_found` */
  requireExisting(): Stats {
    if (this.existing) return this.existing;
    throw systemFailure('ENOENT', this.#operation, this.shown);
  }

  /**
   * Makes the missing directories; each one made belongs to the owner.
   * @throws as `mkdir` does; FileFailure `permission_denied` beyond the reach of the accounts whose links were followed
   */
  makeParents(owner: Owner | undefined): void {
    this.requireEntry();
    for (const name of this.#missing) {
      const next = makeOrEnter(this.#directory.entry(name), owner);
      this.#directory[Symbol.dispose]();
      this.#directory = next;
      this.#missing = this.#missing.slice(1);
      this.#isMade = true;
    }
  }

  /** @throws FileFailure `permission_denied` if an account whose link was followed could not change the entry */
  requireEntry(existing: Pick<BigIntStats | Stats, 'uid' | 'gid' | 'mode'> | undefined = this.existing): void {
    if (this.reach.isLimited && !this.#isMade) this.reach.requireEntry(this.#directory, existing);
  }

  /** @throws FileFailure `permission_denied` if an account whose link was followed could not write to the file */
  requireContent(file: Stats | BigIntStats): void {
    if (this.reach.isLimited) this.reach.requireContent(this.#directory, file);
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}

function find(path: FilePath, operation: string, { follow, access }: Required<FindTerms>): Resolved {
  try {
    return resolve(path, operation, follow);
  } catch (error) {
    if (isConfined()) requireConfinedAbove(path, operation, access);
    throw error;
  }
}

/** Refuses a confined request before an error could tell it what exists outside its directories. */
function requireConfinedAbove(path: FilePath, operation: string, access: 'read' | 'write'): void {
  const above = parentOf(path);
  if (!samePath(above, path)) Place.find(above, operation, { follow: true, access })[Symbol.dispose]();
}

/** The path that a write to `path` reaches after its links; the file and its directories need not exist. */
export function realPathOf(path: FilePath, operation: string): FilePath {
  using place = Place.find(path, operation, { follow: true, access: 'read' });
  return place.path;
}

function makeOrEnter(entry: Entry, owner: Owner | undefined): HeldDirectory {
  try {
    return makeDirectory(entry, owner);
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
  return HeldDirectory.open(entry.at);
}
