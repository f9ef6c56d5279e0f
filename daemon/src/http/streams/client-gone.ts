import type { FastifyReply } from 'fastify';

/** Fires when the caller has closed its connection before it was answered. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort();
  });
  return gone.signal;
}
