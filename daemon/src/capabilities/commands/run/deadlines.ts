/** Milliseconds between SIGTERM and SIGKILL of a command that outlived its hard timeout, or whose session is closed. */
export const KILL_GRACE_MS = 2000;

/** The longest time of one timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a hard timeout does when it is over. */
interface Firing {
  readonly onFire: () => void;
  readonly kill: (signal: string) => Promise<number>;
}

/** SIGTERM when the time is over, SIGKILL to what is left 2 s later. */
export class HardTimeout {
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number, { onFire, kill }: Firing) {
    const send = (signal: string): void => void kill(signal).catch(() => {});
    this.#arm(seconds * 1000, () => {
      onFire();
      send('SIGTERM');
      setTimeout(() => send('SIGKILL'), KILL_GRACE_MS);
    });
  }

  commandEnded(): void {
    clearTimeout(this.#timer);
  }

  #arm(ms: number, fire: () => void): void {
    const step = Math.min(ms, MAX_TIMER_MS);
    this.#timer = setTimeout(() => (ms > step ? this.#arm(ms - step, fire) : fire()), step);
  }
}

/** Resolves when the promise settles, the seconds are over (undefined: they never are), or the caller is gone. */
export async function settledWithin(
  settled: Promise<void>,
  seconds: number | undefined,
  gone: AbortSignal | undefined,
): Promise<void> {
  if (seconds === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const giveUp = new Promise<void>((resolve) => {
    if (seconds !== undefined) timer = setTimeout(resolve, Math.min(seconds * 1000, MAX_TIMER_MS));
    gone?.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([settled, giveUp]);
  clearTimeout(timer);
}
