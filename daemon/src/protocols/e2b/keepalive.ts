import type { IncomingHttpHeaders } from 'node:http';

/** Seconds without an event after which a stream sends one that says nothing, if the client asks for no other. */
const DEFAULT_SECONDS = 90;

export function keepaliveMs(headers: IncomingHttpHeaders): number {
  const seconds = Number(headers['keepalive-ping-interval']);
  return 1000 * (Number.isInteger(seconds) && seconds > 0 && seconds < 86_400 ? seconds : DEFAULT_SECONDS);
}
