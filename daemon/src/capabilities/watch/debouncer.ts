import type { Change, ChangeType } from './change.ts';

/** Changes that wait at most; then they are told before their time. */
const MAX_PENDING = 5000;

/** What stands for more than one change of a path: what was there before is another file. */
const BARRIERS: ReadonlySet<ChangeType> = new Set(['create', 'remove', 'rename']);

/**
 * Gathers changes and hands them over at most `delayMs` after the first of them. Of a path, changes of one type become
 * one, and writes after a creation belong to it; the order stays.
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
    if (this.#isTold(change)) return;
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

  #isTold({ type, path, oldPath, isDirectory }: Change): boolean {
    // Whatever lay in a directory that went away is told anew when it comes again.
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
