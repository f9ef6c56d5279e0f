import type { IncomingHttpHeaders } from 'node:http';

/** Seconds without an event after which a stream sends one that says nothing, if the client asks for no other. */
const DEFAULT_SECONDS = 90;

export function keepaliveMs(headers: IncomingHttpHeaders): number {
  const seconds = Number(headers['keepalive-ping-interval']);
  return 1000 * (Number.isInteger(seconds) && seconds > 0 && seconds < 86_400 ? seconds : DEFAULT_SECONDS);
}

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
