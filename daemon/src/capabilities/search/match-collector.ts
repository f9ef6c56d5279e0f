import type { GrepMatch, Stop } from './requests.ts';

/** Most bytes of text in one answer; the match that exceeds it is the last. */
export const ANSWER_BYTES = 8 * 1024 ** 2;

/** The page of matches that a caller wants. */
export interface Page {
  /** Matches to pass over. */
  readonly skip: number;
  readonly wanted: number;
}

/** A match, of any file or of one that its collector's owner knows. */
type Match = Omit<GrepMatch, 'file'> & Partial<Pick<GrepMatch, 'file'>>;

/** Collects the matches of a page up to the bounds of an answer. Those before the page are counted and not kept. */
export class MatchCollector<Collected extends Match = GrepMatch> {
  readonly page: Page;
  readonly #matches: Collected[] = [];
  #passed = 0;
  #bytes = 0;
  #stop: Stop | undefined;

  constructor(page: Page) {
    this.page = page;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  get isFull(): boolean {
    return this.left <= 0;
  }

  get matches(): readonly Collected[] {
    return this.#matches;
  }

  /** Matches that are still to be passed over. */
  get toSkip(): number {
    return this.page.skip - this.#passed;
  }

  /** Matches that are still wanted. */
  get left(): number {
    return this.page.wanted - this.#matches.length;
  }

  /** Bytes of text that still fit; negative if a match has exceeded them. */
  get bytesLeft(): number {
    return ANSWER_BYTES - this.#bytes;
  }

  /** Passes over that many matches, at most `toSkip`. */
  pass(count: number): void {
    this.#passed += count;
  }

  /** @returns whether another match fits */
  add(match: Collected): boolean {
    if (this.#stop !== undefined) return false;
    if (this.isFull) this.#stop = 'results';
    else if (this.bytesLeft < 0) this.#stop = 'size';
    else {
      this.#bytes += sizeOf(match);
      this.#matches.push(match);
    }
    return this.#stop === undefined;
  }

  /** Ends the collection because more text follows than fits, unless it has ended. */
  endBySize(): void {
    this.#stop ??= 'size';
  }
}

/** UTF-16 units of a match, which are at most its bytes. */
function sizeOf({ file, line, match, before, after }: Match): number {
  const around = [...before, ...after].reduce((sum, text) => sum + text.length, 0);
  return (file?.length ?? 0) + line.length + match.length + around;
}
