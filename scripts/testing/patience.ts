import { existsSync, readFileSync } from 'node:fs';

const PRESSURE = '/proc/pressure/cpu';
const LOOK_MS = 500;

interface PatienceTerms {
  /** Milliseconds, without those in which a program of the machine waited for a processor. */
  readonly ms: number;
  /** Milliseconds at most. */
  readonly longestMs: number;
  readonly lookMs?: number;
  /** Milliseconds until now in which a program waited for a processor. */
  readonly waitedMs?: () => number;
}

/** A deadline of a wait for other programs: it is later on a machine that is busy with more than these. */
export class Patience implements Disposable {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor({ ms, longestMs, lookMs = LOOK_MS, waitedMs = waitedForProcessors }: PatienceTerms) {
    const over = new AbortController();
    this.signal = over.signal;
    const [began, waited] = [performance.now(), waitedMs()];
    this.#timer = setInterval(() => {
      const passed = performance.now() - began;
      if (passed < longestMs && passed - (waitedMs() - waited) < ms) return;
      over.abort(new DOMException(`no answer in ${Math.round(passed / 1000)} s`, 'TimeoutError'));
      clearInterval(this.#timer);
    }, lookMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** How often the time of a wait fits into the longest one on a busy machine. */
const BUSY = 10;

/**
 * Fetches with a deadline that is later on a busy machine, at most ten times `ms` milliseconds after the call.
 * @returns the status and the bytes of the body, one character each
 */
export async function fetchPatiently(
  url: string,
  { ms, ...init }: RequestInit & { readonly ms: number },
): Promise<{ readonly status: number; readonly text: string }> {
  using patience = new Patience({ ms, longestMs: BUSY * ms });
  const answer = await fetch(url, { ...init, signal: patience.signal });
  return { status: answer.status, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
}

/**
 * Milliseconds since its start in which at least one program of the machine waited for a processor (psi.rst of the
 * kernel). 0 if the kernel does not count them.
 */
function waitedForProcessors(): number {
  if (!existsSync(PRESSURE)) return 0;
  const [, total = '0'] = /^some .*total=(\d+)/.exec(readFileSync(PRESSURE, 'latin1')) ?? [];
  return Number(total) / 1000;
}
