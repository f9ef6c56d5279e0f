import type { Change, ChangeType } from './change.ts';

/** Changes that may wait; more are handed over before the delay is over. */
const MAX_PENDING = 5000;

/** Changes after which the path is another file: later changes are not merged with earlier ones. */
const BARRIERS: ReadonlySet<ChangeType> = new Set(['create', 'remove', 'rename']);

/**
 * Collects changes and hands them over at most `delayMs` milliseconds after the first. Changes of one path and type are
 * merged, and writes are merged with the creation before them; the order is kept.
 */
export class Debouncer {
  readonly #delayMs: number;
  readonly #handOver: (changes: readonly Change[]) => void;
  #pending: Change[] = [];
  /** By path, the types since the last barrier. */
  readonly #types = new Map<string, Set<ChangeType>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number, handOver: (changes: readonly Change[]) => void) {
    this.#delayMs = delayMs;
    this.#handOver = handOver;
  }

  add(change: Change): void {
    if (this.#isMerged(change)) return;
    this.#pending.push(change);
    if (this.#pending.length >= MAX_PENDING || this.#delayMs === 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#delayMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#types.clear();
    const changes = this.#pending;
    this.#pending = [];
    if (changes.length > 0) this.#handOver(changes);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
  }

  #isMerged({ type, path, oldPath, isDirectory }: Change): boolean {
    // After a directory was removed or renamed, entries below its path are other files.
    if (isDirectory && (type === 'remove' || type === 'rename')) this.#types.clear();
    const types = this.#types.get(path);
    if (types?.has(type) && type !== 'rename') return true;
    if (type === 'write' && types?.has('create')) return true;
    if (oldPath !== null) this.#types.set(oldPath, new Set(['rename']));
    if (types === undefined || BARRIERS.has(type)) this.#types.set(path, new Set([type]));
    else types.add(type);
    return false;
  }
}
