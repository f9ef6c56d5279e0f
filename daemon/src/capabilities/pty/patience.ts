/** Waits for it, as long as the patience lasts; answers whether it came. */
export async function settlesBefore(promise: Promise<unknown>, patience: AbortSignal): Promise<boolean> {
  let settled = false;
  const over = Promise.withResolvers<void>();
  const stop = (): void => over.resolve();
  patience.addEventListener('abort', stop, { once: true });
  if (patience.aborted) stop();
  await Promise.race([promise.then(() => (settled = true)), over.promise]);
  patience.removeEventListener('abort', stop);
  return settled;
}
