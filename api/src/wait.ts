import { ignore } from '@sandbox/program/ignore.ts';
/** How a wait ended: its event occurred, its time was over, or its signal fired. */
export type WaitEnd = 'settled' | 'timeout' | 'aborted';

/** The longest delay of one timer in Node; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Every wait has an end: a time, a signal, or both. */
export type WaitBounds =
  | { readonly ms: number; readonly signal?: AbortSignal | undefined }
  | { readonly ms?: number | undefined; readonly signal: AbortSignal };

/** Milliseconds for a timer: a whole number from 0 to the longest delay. NaN counts as 0. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms) || 0, 0), MAX_TIMER_MS);
}

/** A signal that fires after that many milliseconds, rounded and bounded as `timerMs` does it. */
export function timeoutSignal(ms: number): AbortSignal {
  return AbortSignal.timeout(timerMs(ms));
}

/**
 * Calls `handle` once when the signal fires, at once if it has fired already. Disposing the answer ends that; it
 * may be disposed any number of times.
 */
export function onAbort(signal: AbortSignal | undefined, handle: () => void): Disposable {
  if (signal === undefined) return { [Symbol.dispose]: ignore };
  if (signal.aborted) {
    handle();
    return { [Symbol.dispose]: ignore };
  }
  signal.addEventListener('abort', handle, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', handle) };
}

/**
 * Waits until the event settles or a bound ends the wait. A signal that has fired already ends it before the event is
 * looked at.
 * @throws the reason of the event, if it rejects first
 */
export async function waitFor(event: PromiseLike<unknown>, { ms, signal }: WaitBounds): Promise<WaitEnd> {
  if (signal?.aborted) return 'aborted';
  const { promise, resolve } = Promise.withResolvers<WaitEnd>();
  // After a pause of the process the timer is due before its input is read: the event may be in that input.
  const end = (): void => void setImmediate(() => resolve('timeout'));
  const timer = ms === undefined ? undefined : setTimeout(end, timerMs(ms));
  using _listening = onAbort(signal, () => resolve('aborted'));
  try {
    return await Promise.race([event.then(() => 'settled' as const), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Looks every `everyMs` milliseconds, first at once, until `isDone` answers true; a signal that has fired already ends
 * the wait before the first look.
 */
export async function pollUntil(
  isDone: () => boolean | Promise<boolean>,
  { everyMs, ...bounds }: WaitBounds & { readonly everyMs: number },
): Promise<WaitEnd> {
  const deadline = performance.now() + (bounds.ms ?? Number.POSITIVE_INFINITY);
  for (;;) {
    if (bounds.signal?.aborted) return 'aborted';
    if (await isDone()) return 'settled';
    const left = deadline - performance.now();
    if (left <= 0) return 'timeout';
    await pause(Math.min(everyMs, left), bounds.signal);
  }
}

/** Sleeps for that many milliseconds, or until the signal fires. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timerMs(ms));
  using _listening = onAbort(signal, resolve);
  await promise;
  clearTimeout(timer);
}

/** Those who wait for the next change of something. A woken waiter looks for itself whether its change has come. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  get count(): number {
    return this.#waiting.size;
  }

  /** Resolves at the next `wake` or when a bound ends the wait. */
  async next(bounds: WaitBounds): Promise<WaitEnd> {
    if (bounds.signal?.aborted) return 'aborted';
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      return await waitFor(promise, bounds);
    } finally {
      this.#waiting.delete(resolve);
    }
  }

  wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

/** A timer of any length, also one longer than Node's. */
export class LongTimer implements Disposable {
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, fire: () => void) {
    this.#arm(Math.max(ms, 0), fire);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #arm(ms: number, fire: () => void): void {
    const step = Math.min(ms, MAX_TIMER_MS);
    this.#timer = setTimeout(() => (ms > step ? this.#arm(ms - step, fire) : fire()), timerMs(step));
  }
}

/** A fixed number of places; further callers wait for one in their order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a place until the answer is disposed. @throws the reason of the signal, if it fires first */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const free = this.tryTake();
    if (free) return free;
    await this.#turn(signal);
    return this.#held();
  }

  /** A place that is free now, until the answer is disposed. */
  tryTake(): Disposable | undefined {
    if (this.#free === 0) return undefined;
    this.#free -= 1;
    return this.#held();
  }

  #held(): Disposable {
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#release();
        isHeld = false;
      },
    };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    using _listening = onAbort(signal, () => {
      const index = this.#waiting.indexOf(resolve);
      if (index < 0) return;
      this.#waiting.splice(index, 1);
      reject(signal.reason);
    });
    await promise;
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
