import type { FastifyReply } from 'fastify';

/** Fires when the client has closed its connection before the answer was sent; at once if it has already. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const check = (): void => {
    if (!raw.writableEnded) gone.abort();
  };
  if (raw.destroyed) check();
  raw.once('close', check);
  return gone.signal;
}
