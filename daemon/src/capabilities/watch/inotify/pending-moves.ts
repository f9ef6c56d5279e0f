import type { ByteName } from '../../../core/files/byte-name.ts';
import type { DirectoryNode } from './directory-node.ts';

/** Milliseconds between the two halves of a rename at most, for the kernel, which queues both at once. */
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
  readonly #caughtUp: () => Promise<void>;

  /** `caughtUp`: all that has happened so far was told. */
  constructor(onLeft: (half: MovedFrom) => void, caughtUp: () => Promise<void>) {
    this.#onLeft = onLeft;
    this.#caughtUp = caughtUp;
  }

  add(cookie: number, half: MovedFrom): void {
    // Where the reader or this process stood still, the second half is on its way.
    const timer = setTimeout(() => void this.#caughtUp().then(() => this.#giveUp(cookie)), PATIENCE_MS);
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
