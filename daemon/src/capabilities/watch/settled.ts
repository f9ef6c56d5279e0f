import type { Watcher } from './watcher.ts';

/** Resolves when there is something after the cursor, after `timeout` seconds, or when the client is gone. */
export async function settled(
  { log }: Watcher,
  { cursor, timeout }: { readonly cursor: number; readonly timeout: number },
  gone: AbortSignal,
): Promise<void> {
  if (timeout === 0) return;
  await log.moreThan(Math.min(cursor, log.last), AbortSignal.any([gone, AbortSignal.timeout(timeout * 1000)]));
}
