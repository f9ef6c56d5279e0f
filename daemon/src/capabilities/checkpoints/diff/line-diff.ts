/** The lines that two texts do not share: 1 for a line that is removed, or added, 0 for one that both have. */
export interface LineDiff {
  readonly removed: Uint8Array;
  readonly added: Uint8Array;
}

/** Steps of the search, and those for each line of both texts: beyond them a gap is shown as replaced as a whole. */
const STEPS = 20_000;
const STEPS_PER_LINE = 16;
/** Edits that are searched in one gap; the memory of the search grows with their square. */
const EDITS_MAX = 1000;

interface Gap {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/**
 * Compares lines in linear time. Lines that are unique in both texts divide them into gaps (patience diff), and in each
 * gap the shortest edit is searched (Myers, "An O(ND) Difference Algorithm", 1986) as long as its steps suffice. The
 * result is correct for any texts, and the shortest for those with few changes.
 */
export function diffLines(before: readonly string[], after: readonly string[]): LineDiff {
  return new Comparison(before, after).run();
}

class Comparison {
  readonly #old: Int32Array;
  readonly #new: Int32Array;
  readonly #distinct: number;
  readonly #removed: Uint8Array;
  readonly #added: Uint8Array;
  #steps: number;

  constructor(before: readonly string[], after: readonly string[]) {
    const numbers = new Map<string, number>();
    const numbered = (lines: readonly string[]): Int32Array =>
      Int32Array.from(lines, (line) => {
        const known = numbers.get(line);
        if (known !== undefined) return known;
        numbers.set(line, numbers.size);
        return numbers.size - 1;
      });
    this.#old = numbered(before);
    this.#new = numbered(after);
    this.#distinct = numbers.size;
    this.#removed = new Uint8Array(before.length).fill(1);
    this.#added = new Uint8Array(after.length).fill(1);
    this.#steps = STEPS + STEPS_PER_LINE * (before.length + after.length);
  }

  run(): LineDiff {
    const whole = this.#trimmed({ oldStart: 0, oldEnd: this.#old.length, newStart: 0, newEnd: this.#new.length });
    let [oldStart, newStart] = [whole.oldStart, whole.newStart];
    for (const { old, fresh } of this.#anchors(whole)) {
      this.#compare({ oldStart, oldEnd: old, newStart, newEnd: fresh });
      this.#keep(old, fresh);
      [oldStart, newStart] = [old + 1, fresh + 1];
    }
    this.#compare({ oldStart, oldEnd: whole.oldEnd, newStart, newEnd: whole.newEnd });
    return { removed: this.#removed, added: this.#added };
  }

  #keep(old: number, fresh: number): void {
    this.#removed[old] = 0;
    this.#added[fresh] = 0;
  }

  #isSame(old: number, fresh: number): boolean {
    return this.#old[old] === this.#new[fresh];
  }

  /** Keeps what both begin and end with. */
  #trimmed({ oldStart, oldEnd, newStart, newEnd }: Gap): Gap {
    let [from, fromNew, to, toNew] = [oldStart, newStart, oldEnd, newEnd];
    while (from < to && fromNew < toNew && this.#isSame(from, fromNew)) this.#keep(from++, fromNew++);
    while (from < to && fromNew < toNew && this.#isSame(to - 1, toNew - 1)) this.#keep(--to, --toNew);
    return { oldStart: from, oldEnd: to, newStart: fromNew, newEnd: toNew };
  }

  /** Lines that each text has once, of which the most that are in the same order in both. */
  #anchors(gap: Gap): { readonly old: number; readonly fresh: number }[] {
    const [inOld, inNew] = [new Uint8Array(this.#distinct), new Uint8Array(this.#distinct)];
    const place = new Int32Array(this.#distinct);
    for (let at = gap.oldStart; at < gap.oldEnd; at += 1) count(inOld, this.#old[at]);
    for (let at = gap.newStart; at < gap.newEnd; at += 1) {
      count(inNew, this.#new[at]);
      place[this.#new[at] ?? 0] = at;
    }
    const shared: { old: number; fresh: number }[] = [];
    for (let old = gap.oldStart; old < gap.oldEnd; old += 1) {
      const number = this.#old[old] ?? 0;
      if (inOld[number] === 1 && inNew[number] === 1) shared.push({ old, fresh: place[number] ?? 0 });
    }
    return longestRise(shared);
  }

  #compare(gap: Gap): void {
    const inner = this.#trimmed(gap);
    if (inner.oldStart === inner.oldEnd || inner.newStart === inner.newEnd) return;
    const trace = this.#search(inner);
    if (trace) this.#follow(inner, trace);
  }

  /** The furthest old line for each diagonal, by the number of edits; undefined if the steps do not suffice. */
  #search(gap: Gap): Int32Array[] | undefined {
    const most = Math.min(gap.oldEnd - gap.oldStart + gap.newEnd - gap.newStart, EDITS_MAX);
    const furthest = new Int32Array(2 * most + 3);
    const trace: Int32Array[] = [];
    for (let edits = 0; edits <= most && this.#steps >= 0; edits += 1) {
      const isThere = this.#extend(gap, furthest, edits);
      trace.push(furthest.slice(most + 1 - edits, most + 2 + edits));
      if (isThere) return trace;
    }
    return undefined;
  }

  /** Goes as far as one more edit allows on each diagonal. @returns whether that is the end of both texts */
  #extend(gap: Gap, furthest: Int32Array, edits: number): boolean {
    const [oldLength, newLength] = [gap.oldEnd - gap.oldStart, gap.newEnd - gap.newStart];
    const middle = (furthest.length - 1) / 2;
    this.#steps -= 2 * edits + 1;
    for (let diagonal = -edits; diagonal <= edits && this.#steps >= 0; diagonal += 2) {
      const at = middle + diagonal;
      const [left, right] = [furthest[at - 1] ?? 0, furthest[at + 1] ?? 0];
      const isDown = diagonal === -edits || (diagonal !== edits && left < right);
      const old = this.#alongEqual(gap, isDown ? right : left + 1, diagonal);
      furthest[at] = old;
      if (old >= oldLength && old - diagonal >= newLength) return true;
    }
    return false;
  }

  /** Behind the equal lines from there on. */
  #alongEqual({ oldStart, oldEnd, newStart, newEnd }: Gap, first: number, diagonal: number): number {
    let old = oldStart + first;
    let fresh = newStart + first - diagonal;
    for (; old < oldEnd && fresh < newEnd && this.#isSame(old, fresh); fresh += 1) old += 1;
    this.#steps -= old - oldStart - first;
    return old - oldStart;
  }

  /** Keeps the lines on the way back from the ends of both. */
  #follow({ oldStart, oldEnd, newStart, newEnd }: Gap, trace: readonly Int32Array[]): void {
    let [old, fresh] = [oldEnd - oldStart, newEnd - newStart];
    for (let edits = trace.length - 1; edits > 0; edits -= 1) {
      const before = trace[edits - 1];
      const furthest = (diagonal: number): number => before?.[diagonal + edits - 1] ?? -1;
      const diagonal = old - fresh;
      const isDown = diagonal === -edits || (diagonal !== edits && furthest(diagonal - 1) < furthest(diagonal + 1));
      const from = isDown ? diagonal + 1 : diagonal - 1;
      const previous = furthest(from);
      const start = isDown ? previous : previous + 1;
      while (old > start) this.#keep(oldStart + --old, newStart + --fresh);
      [old, fresh] = [previous, previous - from];
    }
    while (old > 0) this.#keep(oldStart + --old, newStart + --fresh);
  }
}

/** Up to 2, which stands for more. */
function count(counts: Uint8Array, number = 0): void {
  counts[number] = Math.min(2, (counts[number] ?? 0) + 1);
}

/** The longest subsequence of which `fresh` rises; `old` does. */
function longestRise<T extends { readonly fresh: number }>(items: readonly T[]): T[] {
  /** Of each length the item that ends such a subsequence with the least `fresh`. */
  const ends: number[] = [];
  const before = new Int32Array(items.length);
  for (const [index, { fresh }] of items.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((items[ends[middle] ?? 0]?.fresh ?? 0) < fresh) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const rise: T[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const item = items[at];
    if (item) rise.push(item);
  }
  return rise.reverse();
}
