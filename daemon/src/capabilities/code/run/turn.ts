import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Slots } from '@sandbox/api/wait.ts';

/** A turn did not come in time. */
const LATE = Symbol('late');

/**
 * Takes a turn, waiting at most `ms` milliseconds, which are the rest of a wait `of` so many.
 * @throws SandboxError `capacity` if it does not come in that time, or the caller has gone
 */
export async function takeTurn(
  turns: Slots,
  { ms, of = ms }: { readonly ms: number; readonly of?: number },
  gone: AbortSignal | undefined,
  refusal: () => { readonly what: string; readonly holders: readonly object[] },
): Promise<Disposable> {
  const free = gone?.aborted ? undefined : turns.tryTake();
  if (free) return free;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(LATE), ms);
  try {
    return await turns.take(gone ? AbortSignal.any([late.signal, gone]) : late.signal);
  } catch {
    const { what, holders } = refusal();
    throw new SandboxError('capacity', `${what}, and the cell has waited for its timeout of ${of / 1000} s`, {
      hint: 'try again later, with a longer timeout, or interrupt what runs',
      data: { holders },
    });
  } finally {
    clearTimeout(timer);
  }
}
