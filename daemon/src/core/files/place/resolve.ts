import { lstatSync, type Stats } from 'node:fs';
import { systemCodeOf, systemFailure } from '../file-failure.ts';
import { type FilePath, latin1Of, nameOf, parentOf, pathOfLatin1, samePath, shownPath } from '../file-path.ts';
import { HeldDirectory } from './held-directory.ts';
import { readLink } from './read-link.ts';

/** Symlinks that Linux follows in one path (path_resolution(7)). */
const LINKS_MAX = 40;
/** Bytes of a path with its NUL (limits.h). */
const PATH_MAX = 4096;
/** Names that are looked up again because another process replaced them meanwhile. */
const REPEATS_MAX = 100;
/** Names a directory itself, if a path has no last name. */
const SELF = '.';

export interface Resolved {
  /** The deepest directory on the way that exists. */
  readonly directory: HeldDirectory;
  /** Names of the directories that are missing below it. */
  readonly missing: readonly FilePath[];
  readonly name: FilePath;
  readonly existing: Stats | undefined;
  /** Numbers of the accounts whose links were followed; root is not among them. */
  readonly linkOwners: ReadonlySet<number>;
  /** Whether a link led to what does not exist. */
  readonly isDangling: boolean;
}

const NO_OWNERS: ReadonlySet<number> = new Set();

/**
 * Follows the path, and with `follow` a link in its last place too. The caller disposes the directory.
 * @throws as `lstat` does; FileFailure `ELOOP`, `ENAMETOOLONG`
 */
export function resolve(path: FilePath, operation: string, follow: boolean): Resolved {
  const length = typeof path === 'string' ? Buffer.byteLength(path) : path.length;
  if (length >= PATH_MAX) throw systemFailure('ENAMETOOLONG', operation, shownPath(path));
  return resolvePlain(path, follow) ?? new Walk(path, operation, follow).run();
}

/** A path without links, which is opened in one step; undefined for any other. */
function resolvePlain(path: FilePath, follow: boolean): Resolved | undefined {
  const [parent, name] = [parentOf(path), nameOf(path)];
  if (isDots(name)) return undefined;
  using stack = new DisposableStack();
  const directory = openIfThere(parent);
  if (!directory) return undefined;
  stack.use(directory);
  // What was opened has this path now, so that no link led to it.
  if (!samePath(directory.path, parent)) return undefined;
  const existing = lstatSync(directory.at(name), { throwIfNoEntry: false });
  if (follow && existing?.isSymbolicLink()) return undefined;
  stack.move();
  return { directory, missing: [], name, existing, linkOwners: NO_OWNERS, isDangling: false };
}

function openIfThere(path: FilePath): HeldDirectory | undefined {
  try {
    return HeldDirectory.open(path, { follow: true });
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isDots(name: FilePath): boolean {
  const text = shownPath(name);
  return text === '' || text === '.' || text === '..';
}

interface Step {
  readonly name: FilePath;
  readonly isOfLink: boolean;
}

/** Follows a path name by name, each by the descriptor of the directory before it. */
class Walk {
  readonly #operation: string;
  readonly #path: FilePath;
  readonly #follow: boolean;
  /** The next one is the last. */
  readonly #steps: Step[];
  readonly #missing: FilePath[] = [];
  readonly #linkOwners = new Set<number>();
  #directory = HeldDirectory.open('/');
  #linksLeft = LINKS_MAX;
  #repeatsLeft = REPEATS_MAX;
  #isDangling = false;

  constructor(path: FilePath, operation: string, follow: boolean) {
    this.#path = path;
    this.#operation = operation;
    this.#follow = follow;
    this.#steps = stepsOf(path, false);
  }

  run(): Resolved {
    try {
      for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
        const found = this.#take(step);
        if (found) return found;
      }
      return this.#found(SELF, this.#directory.stats());
    } catch (error) {
      this.#directory[Symbol.dispose]();
      throw error;
    }
  }

  #take(step: Step): Resolved | undefined {
    const { name } = step;
    if (name === '..') return this.#leave();
    const isLast = this.#steps.length === 0;
    const stats = this.#missing.length > 0 ? undefined : this.#lookUp(name);
    if (stats?.isSymbolicLink() && (this.#follow || !isLast)) return this.#followLink(step);
    if (!stats && step.isOfLink) this.#isDangling = true;
    if (isLast) return this.#found(name, stats);
    if (stats) this.#enter(step, stats);
    else this.#missing.push(name);
    return undefined;
  }

  #lookUp(name: FilePath): Stats | undefined {
    return lstatSync(this.#directory.at(name), { throwIfNoEntry: false });
  }

  #leave(): undefined {
    if (this.#missing.pop() === undefined) this.#moveTo(HeldDirectory.open(this.#directory.at('..')));
  }

  #enter(step: Step, stats: Stats): void {
    try {
      this.#moveTo(HeldDirectory.open(this.#directory.at(step.name)));
    } catch (error) {
      const code = systemCodeOf(error);
      const isReplaced = code === 'ENOENT' || (code === 'ENOTDIR' && stats.isDirectory());
      if (!isReplaced) throw error;
      this.#repeat(step);
    }
  }

  #followLink(step: Step): undefined {
    const link = readLink(this.#directory, step.name);
    if (!link) return this.#repeat(step);
    this.#linksLeft -= 1;
    if (this.#linksLeft < 0) throw this.#failure('ELOOP');
    for (const uid of link.owners) this.#linkOwners.add(uid);
    if (shownPath(link.target).startsWith('/')) this.#moveTo(HeldDirectory.open('/'));
    this.#steps.push(...stepsOf(link.target, true));
  }

  #repeat(step: Step): undefined {
    this.#repeatsLeft -= 1;
    if (this.#repeatsLeft < 0) throw this.#failure('EAGAIN');
    this.#steps.push(step);
  }

  #moveTo(next: HeldDirectory): void {
    this.#directory[Symbol.dispose]();
    this.#directory = next;
  }

  #found(name: FilePath, existing: Stats | undefined): Resolved {
    // Root may lead where it likes.
    this.#linkOwners.delete(0);
    const [directory, missing, linkOwners] = [this.#directory, this.#missing, this.#linkOwners];
    return { directory, missing, name, existing, linkOwners, isDangling: this.#isDangling };
  }

  #failure(code: string): Error {
    return systemFailure(code, this.#operation, shownPath(this.#path));
  }
}

/** The names of a path, the first one last. */
function stepsOf(path: FilePath, isOfLink: boolean): Step[] {
  const names = latin1Of(path).split('/');
  return names
    .filter((name) => name !== '' && name !== '.')
    .reverse()
    .map((name) => ({ name: pathOfLatin1(name), isOfLink }));
}
