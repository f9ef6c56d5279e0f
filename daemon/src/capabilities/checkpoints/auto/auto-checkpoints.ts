import { waitFor } from '@sandbox/api/wait.ts';
import type { ComingChange } from '../../../core/ports/before-change-port.ts';
import type { AutoTaken } from '../engine/engine-protocol.ts';

/** Milliseconds that a command, a cell or a change of files waits for its checkpoint. */
const WAIT_MS = 2000;
/** Milliseconds of a checkpoint that cost no pause, and how many times the rest of it the pause is. */
const FREE_MS = 1000;
const PAUSE = 4;
/** Milliseconds of the pause after the first failure, twice as long after each further one, up to the last. */
const FAILED_MS = 10_000;
const FAILED_MAX_MS = 600_000;

/** What became of a checkpoint; `late`: the change did not wait for its end. */
export const AUTO_RESULTS = ['taken', 'unchanged', 'late', 'skipped', 'failed'] as const;

type AutoResult = (typeof AUTO_RESULTS)[number];

interface AutoTerms {
  /** Takes a checkpoint of the home of an account. */
  readonly take: (change: ComingChange) => Promise<AutoTaken>;
  /** Whether a call of checkpoints runs. */
  readonly isBusy: () => boolean;
  readonly count: (result: AutoResult) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Takes checkpoints before changes, as far as they cost little: those that would not are skipped and counted. */
export class AutoCheckpoints {
  readonly #terms: AutoTerms;
  #isTaking = false;
  #resumesAt = 0;
  #failures = 0;

  constructor(terms: AutoTerms) {
    this.#terms = terms;
  }

  /** Undefined if none is taken; else it resolves when the change may begin, and never rejects. */
  before(change: ComingChange): Promise<void> | undefined {
    if (this.#isTaking || this.#terms.isBusy() || performance.now() < this.#resumesAt) {
      this.#terms.count('skipped');
      return undefined;
    }
    this.#isTaking = true;
    return this.#wait(this.#take(change));
  }

  async #wait(taking: Promise<void>): Promise<void> {
    if ((await waitFor(taking, { ms: WAIT_MS })) !== 'settled') this.#terms.count('late');
  }

  async #take(change: ComingChange): Promise<void> {
    try {
      const { isNew, tookMs } = await this.#terms.take(change);
      this.#terms.count(isNew ? 'taken' : 'unchanged');
      this.#failures = 0;
      this.#resumesAt = performance.now() + PAUSE * Math.max(0, tookMs - FREE_MS);
    } catch (error) {
      this.#terms.count('failed');
      this.#resumesAt = performance.now() + Math.min(FAILED_MAX_MS, FAILED_MS * 2 ** this.#failures);
      this.#failures += 1;
      this.#terms.onFailure(error);
    } finally {
      this.#isTaking = false;
    }
  }
}
