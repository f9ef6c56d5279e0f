import type { ByteName } from '../../../core/files/byte-name.ts';
import type { DirectoryNode } from './directory-node.ts';

/** Milliseconds between the two halves of a rename at most; the kernel queues both at once. */
const PAIRING_MS = 10;

/** The first half of a rename: the former path. */
export interface MovedFrom {
  readonly path: ByteName;
  readonly isDirectory: boolean;
  readonly isVisible: boolean;
  /** Its directory was scanned recently. */
  readonly isFresh: boolean;
  /** The renamed directory, if it is watched. */
  readonly node: DirectoryNode | undefined;
}

/** Pairs the halves of renames by their cookie (inotify(7)). A first half without a second has left the tree. */
export class PendingMoves {
  readonly #pending = new Map<number, { readonly half: MovedFrom; readonly timer: NodeJS.Timeout }>();
  readonly #onLeft: (half: MovedFrom) => void;
  readonly #caughtUp: () => Promise<void>;

  /** @param caughtUp resolves when the events so far were delivered */
  constructor(onLeft: (half: MovedFrom) => void, caughtUp: () => Promise<void>) {
    this.#onLeft = onLeft;
    this.#caughtUp = caughtUp;
  }

  add(cookie: number, half: MovedFrom): void {
    // If the reader or this process was suspended, the second half may still come.
    const timer = setTimeout(() => void this.#caughtUp().then(() => this.#giveUp(cookie)), PAIRING_MS);
    this.#pending.set(cookie, { half, timer });
  }

  take(cookie: number): MovedFrom | undefined {
    const found = this.#pending.get(cookie);
    if (found === undefined) return undefined;
    clearTimeout(found.timer);
    this.#pending.delete(cookie);
    return found.half;
  }

  /** Another file takes the name: its former holder has left, and that is reported first. */
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
