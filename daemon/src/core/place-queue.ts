import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pollUntil, Slots, timeoutSignal } from '@sandbox/api/wait.ts';

/** Milliseconds that a call waits for a place at most. */
const PLACE_WAIT_MS = 10_000;
/** Milliseconds between two looks for a free place. */
const LOOK_MS = 50;

/** The calls that wait for a place below a ceiling, in order of arrival. */
export class PlaceQueue {
  readonly #turns = new Slots(1);

  /**
   * Waits until it is the turn of the call and `hasRoom`, up to 10 s and its own timeout. The caller takes the place,
   * or is refused with 429, before it disposes the turn and without an `await` in between.
   * @param seconds timeout of the call; undefined: none
   * @throws SandboxError `unavailable` if the client leaves while it waits
   */
  async turn(hasRoom: () => boolean, seconds: number | undefined, gone?: AbortSignal): Promise<Disposable> {
    const late = timeoutSignal(Math.min(PLACE_WAIT_MS, (seconds ?? Number.POSITIVE_INFINITY) * 1000));
    const bound = gone ? AbortSignal.any([gone, late]) : late;
    const turn = await this.#turns.take(bound).catch(() => undefined);
    try {
      if (!hasRoom()) await pollUntil(hasRoom, { everyMs: LOOK_MS, signal: bound });
      if (gone?.aborted) throw new SandboxError('unavailable', 'the client left before a place was free');
      return turn ?? { [Symbol.dispose]: () => undefined };
    } catch (error) {
      turn?.[Symbol.dispose]();
      throw error;
    }
  }
}
