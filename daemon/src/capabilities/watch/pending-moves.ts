import type { ByteName } from '../../core/files/byte-name.ts';
import type { DirectoryNode } from './directory-node.ts';

/** How long the second half of a rename may take to come after the first; the kernel queues both at once. */
const PATIENCE_MS = 10;

/** The first half of a rename: something left this place. */
export interface MovedFrom {
  readonly path: ByteName;
  readonly isDirectory: boolean;
  readonly isVisible: boolean;
  /** It lay in a directory that was looked into a moment ago. */
  readonly isFresh: boolean;
  /** The directory that left, where it was watched. */
  readonly node: DirectoryNode | undefined;
}

/** Pairs the halves of renames by their cookie (inotify(7)). What gets no second half has left the tree. */
export class PendingMoves {
  readonly #pending = new Map<number, { readonly half: MovedFrom; readonly timer: NodeJS.Timeout }>();
  readonly #onLeft: (half: MovedFrom) => void;

  constructor(onLeft: (half: MovedFrom) => void) {
    this.#onLeft = onLeft;
  }

  add(cookie: number, half: MovedFrom): void {
    // Where the loop stood still, the second half lies in the pipe: it gets a turn before the patience ends.
    const timer = setTimeout(() => setImmediate(() => setImmediate(() => this.#giveUp(cookie))), PATIENCE_MS);
    this.#pending.set(cookie, { half, timer });
  }

  take(cookie: number): MovedFrom | undefined {
    const found = this.#pending.get(cookie);
    if (found === undefined) return undefined;
    clearTimeout(found.timer);
    this.#pending.delete(cookie);
    return found.half;
  }

  /** Something else takes the name now: what had it has left, and that comes first. */
  settle(path: ByteName): void {
    for (const [cookie, { half }] of [...this.#pending]) if (half.path === path) this.#giveUp(cookie);
  }

  clear(): void {
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }

  #giveUp(cookie: number): void {
    const half = this.take(cookie);
    if (half !== undefined) this.#onLeft(half);
  }
}
