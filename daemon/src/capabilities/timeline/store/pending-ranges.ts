import type { EventKind, Growth } from '../../../core/recorder/event.ts';

/** A range that can still grow. */
export interface OpenRange extends Growth {
  /** Tick at which its first bytes were reported. */
  readonly since: number;
}

/** Ranges that were reported since the last look, neighbours as one. */
export class PendingRanges {
  readonly #open = new Map<string, OpenRange>();
  #since = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#open.size;
  }

  /** Tick of the oldest. */
  get since(): number {
    return this.#since;
  }

  /** @returns the range before, if this one does not continue it */
  add(growth: Growth, tick: number): OpenRange | undefined {
    const key = keyOf(growth.kind, growth.ref[1]);
    const before = this.#open.get(key);
    const isNext = before !== undefined && before.to === growth.from && sameActor(before, growth);
    this.#open.delete(key);
    this.#open.set(key, isNext ? { ...before, to: growth.to } : { ...growth, since: tick });
    this.#since = Math.min(this.#since, tick);
    return isNext ? undefined : before;
  }

  /** Takes those of one thing, before another event of it. */
  takeOf(ids: readonly string[]): OpenRange[] {
    if (this.#open.size === 0) return [];
    return [...this.#open].flatMap(([key, range]) => {
      if (!ids.includes(range.ref[1])) return [];
      this.#open.delete(key);
      return [range];
    });
  }

  takeAll(): OpenRange[] {
    const all = [...this.#open.values()];
    this.#open.clear();
    this.#since = Number.POSITIVE_INFINITY;
    return all;
  }
}

function keyOf(kind: EventKind, id: string): string {
  return `${kind} ${id}`;
}

function sameActor({ actor: a }: Growth, { actor: b }: Growth): boolean {
  return a?.key === b?.key && a?.claimed === b?.claimed && a?.protocol === b?.protocol;
}
