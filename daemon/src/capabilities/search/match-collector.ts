import type { GrepMatch, Stop } from './requests.ts';

/** Most bytes of text in one answer. */
const ANSWER_BYTES = 8 * 1024 ** 2;

/** Collects matches up to the bounds of an answer. */
export class MatchCollector {
  readonly #wanted: number;
  readonly #matches: GrepMatch[] = [];
  #bytes = 0;
  #stop: Stop | undefined;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  get isFull(): boolean {
    return this.#matches.length >= this.#wanted;
  }

  get matches(): readonly GrepMatch[] {
    return this.#matches;
  }

  /** @returns whether another match fits */
  add(match: GrepMatch): boolean {
    if (this.#stop !== undefined) return false;
    if (this.isFull) this.#stop = 'results';
    else if (this.#bytes > ANSWER_BYTES) this.#stop = 'size';
    else {
      this.#bytes += sizeOf(match);
      this.#matches.push(match);
    }
    return this.#stop === undefined;
  }
}

function sizeOf({ file, line, match, before, after }: GrepMatch): number {
  const around = [...before, ...after].reduce((sum, text) => sum + text.length, 0);
  return file.length + line.length + match.length + around;
}
