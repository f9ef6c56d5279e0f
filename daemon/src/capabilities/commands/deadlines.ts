/** Milliseconds between SIGTERM and SIGKILL of a command that outlived its hard timeout, or whose session is closed. */
export const KILL_GRACE_MS = 2000;

/** SIGTERM when the time is over, SIGKILL to what is left 2 s later. */
export class HardTimeout {
  readonly #timer: NodeJS.Timeout;
  fired = false;

  constructor(seconds: number, kill: (signal: string) => Promise<number>) {
    this.#timer = setTimeout(() => {
      this.fired = true;
      void kill('SIGTERM');
      setTimeout(() => void kill('SIGKILL'), KILL_GRACE_MS);
    }, seconds * 1000);
  }

  commandEnded(): void {
    clearTimeout(this.#timer);
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
    if (seconds !== undefined) timer = setTimeout(resolve, Math.min(seconds * 1000, 2 ** 31 - 1));
    gone?.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([settled, giveUp]);
  clearTimeout(timer);
}
