import type { Logger } from '@sandbox/program/logger.ts';
import { type FamilyMemory, familyMemory } from './family-memory.ts';
import type { GroupMemory } from './group-memory.ts';

/** Bytes that programs take in a millisecond, at most: until the threshold can be reached nobody looks. */
const BYTES_PER_MS = 2_000_000;
const LOOK_MIN_MS = 10;
const LOOK_MAX_MS = 1_000;
/** A family below this part of the limit is not what takes the memory. */
const SMALLEST_PART = 1 / 16;
/** Milliseconds within which the memory of what was ended is free. */
const END_MS = 1_000;
const LOG_MS = 60_000;

/** Something that may be ended. */
export interface Guarded {
  readonly pid: number;
  /** Kills all of it. Settles when it has ended. */
  readonly end: (memory: FamilyMemory) => Promise<void>;
}

interface GuardTerms {
  readonly memory: GroupMemory;
  /** Part of the limit from which on the largest one is ended, between 0 and 1. */
  readonly part: number;
  readonly running: () => readonly Guarded[];
  readonly logger: Logger;
}

/** Ends what takes the most memory before the limit is reached, so that the kernel need not choose. */
export class MemoryGuard implements Disposable {
  readonly #terms: GuardTerms;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(terms: GuardTerms) {
    this.#terms = terms;
    this.#look();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #look(): void {
    if (this.#isOver) return;
    const { memory, part, logger } = this.#terms;
    const threshold = memory.limit * part;
    const left = threshold - memory.held(threshold);
    if (left > 0) {
      this.#lookIn(Math.max(LOOK_MIN_MS, Math.min(LOOK_MAX_MS, left / BYTES_PER_MS)));
      return;
    }
    this.#endLargest()
      .catch((error: unknown) => logger.error({ err: error }, 'the memory guard could not end a command'))
      .finally(() => this.#lookIn(LOOK_MIN_MS));
  }

  #lookIn(ms: number): void {
    if (!this.#isOver) this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  async #endLargest(): Promise<void> {
    const { memory, running, logger } = this.#terms;
    const guarded = new Map(running().map((one) => [one.pid, one]));
    const [largest] = [...familyMemory([...guarded.keys()])].sort(([, a], [, b]) => b.bytes - a.bytes);
    if (largest === undefined || largest[1].bytes < memory.limit * SMALLEST_PART) {
      this.#reportShort();
      await this.#pause(LOOK_MAX_MS);
      return;
    }
    const [pid, found] = largest;
    logger.warn(
      { pid, program: found.program, bytes: found.bytes, limit: memory.limit },
      'memory is short: the largest command is ended',
    );
    await Promise.race([guarded.get(pid)?.end(found), this.#pause(END_MS)]);
  }

  #reportShort(): void {
    const now = performance.now();
    if (now - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = now;
    this.#terms.logger.warn('memory is short, and no command takes much of it');
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#timer = setTimeout(resolve, ms).unref();
    });
  }
}
