/** Calls in sequence and returns the milliseconds of each. */
export async function latencies(count: number, call: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  return times;
}

/** A number of callers share a number of calls. @returns calls per second */
export async function rateOf(callers: number, count: number, call: () => Promise<unknown>): Promise<number> {
  let left = count;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  return count / ((performance.now() - begun) / 1000);
}

/** Calls repeatedly, with a pause between, while the work runs. @returns the milliseconds of each call */
export async function latenciesDuring(
  work: Promise<unknown>,
  pauseMs: number,
  call: () => Promise<unknown>,
): Promise<number[]> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  const times: number[] = [];
  while (!over) {
    times.push(...(await latencies(1, call)));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  await ended;
  return times;
}
