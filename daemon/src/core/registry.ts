import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** What a registry holds and who gives way when it is full. */
export interface RegistryTerms<T> {
  /** The kind of thing, in the plural: `terminal sessions`. */
  readonly kind: string;
  readonly ceiling: number;
  /** What can be done when it is full. */
  readonly hint: string;
  /** What the answer to a call beyond the ceiling says of one holder; keys in camelCase. */
  readonly describe: (id: string, item: T) => object;
  /** Which of the items that no call uses gives way to a new one; undefined: none. */
  readonly givesWay?: (idle: readonly T[]) => T | undefined;
  /** Items that do not count against the ceiling, such as ended ones that can still be read. */
  readonly counts?: (item: T) => boolean;
}

/** A place that is taken before its item is made. Disposing it gives the place back unless it was filled. */
export interface Reservation<T> extends Disposable {
  readonly id: string;
  /** The item that gave way. It is registered no more; the caller ends it. */
  readonly evicted: T | undefined;
  fill(item: T): void;
}

/**
 * Things that have an id and a ceiling. Id and place are taken in one synchronous step, so that of two calls at once
 * one is refused; an item that a call leases does not give way before the call is answered.
 */
export class Registry<T extends object> {
  readonly #terms: RegistryTerms<T>;
  readonly #items = new Map<string, T>();
  readonly #reserved = new Set<string>();
  readonly #leases = new Map<T, number>();

  constructor(terms: RegistryTerms<T>, found: Iterable<readonly [id: string, item: T]> = []) {
    this.#terms = terms;
    for (const [id, item] of found) this.#items.set(id, item);
  }

  /** Items, ended ones included, and places that are taken. */
  get size(): number {
    return this.#items.size + this.#reserved.size;
  }

  find(id: string): T | undefined {
    return this.#items.get(id);
  }

  list(): T[] {
    return [...this.#items.values()];
  }

  /** The items that count against the ceiling, as the answer to a call beyond it describes them. */
  holders(): object[] {
    const { counts = () => true, describe } = this.#terms;
    return [...this.#items].filter(([, item]) => counts(item)).map(([id, item]) => describe(id, item));
  }

  has(id: string): boolean {
    return this.#items.has(id) || this.#reserved.has(id);
  }

  /**
   * Takes a place under the id. `replaced`, an item of that id, is removed if a place is free; the caller ends it.
   * @throws SandboxError `conflict` if the id is taken, `capacity` with the holders if no place is free
   */
  reserve(id: string, replaced?: T): Reservation<T> {
    if (this.#reserved.has(id) || this.#items.get(id) !== replaced) {
      throw taken(id);
    }
    const evicted = this.#makeRoom();
    this.#items.delete(id);
    this.#reserved.add(id);
    const release = (): boolean => this.#reserved.delete(id);
    return {
      id,
      evicted,
      fill: (item) => {
        if (release()) this.#items.set(id, item);
      },
      [Symbol.dispose]: () => void release(),
    };
  }

  /** Registers an item that does not count against the ceiling. @throws SandboxError `conflict` if the id is taken */
  add(id: string, item: T): void {
    if (this.has(id)) throw taken(id);
    this.#items.set(id, item);
  }

  /** While the lease is held the item does not give way. */
  lease(item: T): Disposable {
    this.#leases.set(item, (this.#leases.get(item) ?? 0) + 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (this.#leases.get(item) ?? 1) - 1;
        if (left > 0) this.#leases.set(item, left);
        else this.#leases.delete(item);
      },
    };
  }

  isLeased(item: T): boolean {
    return this.#leases.has(item);
  }

  /** Forgets the item; answers whether it was registered. */
  remove(id: string, item: T): boolean {
    return this.#items.get(id) === item && this.#items.delete(id);
  }

  clear(): void {
    this.#items.clear();
  }

  /** Whether a place is free, or an item would give way. */
  hasRoom(): boolean {
    const counted = this.#counted();
    return this.#isBelowCeiling(counted) || this.#givesWay(counted) !== undefined;
  }

  #makeRoom(): T | undefined {
    const counted = this.#counted();
    if (this.#isBelowCeiling(counted)) return undefined;
    const oldest = this.#givesWay(counted);
    const id = counted.find(([, item]) => item === oldest)?.[0];
    if (oldest === undefined || id === undefined) throw this.#full(counted);
    this.#items.delete(id);
    return oldest;
  }

  #counted(): (readonly [string, T])[] {
    const { counts = () => true } = this.#terms;
    return [...this.#items].filter(([, item]) => counts(item));
  }

  #isBelowCeiling(counted: readonly unknown[]): boolean {
    return counted.length + this.#reserved.size < this.#terms.ceiling;
  }

  #givesWay(counted: readonly (readonly [string, T])[]): T | undefined {
    return this.#terms.givesWay?.(counted.map(([, item]) => item).filter((item) => !this.isLeased(item)));
  }

  #full(counted: readonly (readonly [string, T])[]): SandboxError {
    const { kind, ceiling, hint } = this.#terms;
    const taken = counted.length + this.#reserved.size;
    return new SandboxError('capacity', `${taken} ${kind} are open, the ceiling is ${ceiling}`, {
      hint,
      data: { holders: this.holders() },
    });
  }
}

function taken(id: string): SandboxError {
  return new SandboxError('conflict', `the id is taken: ${id}`);
}
