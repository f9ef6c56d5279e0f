/** The events, and `idle` after every `ms` milliseconds without one. It asks for one event at a time. */
export async function* withKeepalive<T>(events: AsyncGenerator<T>, ms: number, idle: T): AsyncGenerator<T> {
  try {
    for (let next = events.next(); ; ) {
      const settled = await withinMs(next, ms);
      if (settled === undefined) yield idle;
      else if (settled.done === true) return;
      else {
        yield settled.value;
        next = events.next();
      }
    }
  } finally {
    await events.return(undefined);
  }
}

async function withinMs<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
