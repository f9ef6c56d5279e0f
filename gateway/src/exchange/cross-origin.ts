import type { ServerResponse } from 'node:http';
import type { FlatHeaders } from './headers.ts';

/** What an upstream says of other origins; where the daemon has spoken, two answers would be none (Fetch standard §4.10). */
const SPOKEN_FOR = /^access-control-(?:allow-|max-age$)/i;

/** Keeps what the daemon grants the origin of a request (Fetch standard §3.3) for whatever will answer it. */
export function keepGrant(res: ServerResponse, judgement: readonly string[]): void {
  for (let i = 0; i < judgement.length; i += 2) {
    const name = judgement[i] ?? '';
    if (/^(?:access-control-.*|vary)$/i.test(name)) res.setHeader(name, judgement[i + 1] ?? '');
  }
}

/** The daemon has answered the question of a browser whether it may ask: the request itself is still to come. */
export function isPreflight(res: ServerResponse): boolean {
  return res.hasHeader('access-control-allow-methods');
}

/** The fields of an upstream's answer with the daemon's grant in place of its own; as they are where there is none. */
export function withGrant(res: ServerResponse, headers: FlatHeaders): FlatHeaders {
  if (!res.hasHeader('access-control-allow-origin')) return headers;
  const granted = headers.filter((_, i) => !SPOKEN_FOR.test(headers[i - (i % 2)] ?? ''));
  for (const [name, value] of Object.entries(res.getHeaders())) granted.push(name, String(value));
  return granted;
}
