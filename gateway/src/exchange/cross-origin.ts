import type { ServerResponse } from 'node:http';
import type { FlatHeaders } from './headers.ts';

/** CORS headers of an upstream that the daemon's replace: a duplicate invalidates them (Fetch standard §4.10). */
const REPLACED = /^access-control-(?:allow-|max-age$)/i;

/** Copies the CORS headers of the daemon's decision (Fetch standard §3.3) to the response to the client. */
export function keepCorsHeaders(res: ServerResponse, decisionHeaders: readonly string[]): void {
  for (let i = 0; i < decisionHeaders.length; i += 2) {
    const name = decisionHeaders[i] ?? '';
    if (/^(?:access-control-.*|vary)$/i.test(name)) res.setHeader(name, decisionHeaders[i + 1] ?? '');
  }
}

/** Whether the daemon has answered a CORS preflight; the actual request follows separately. */
export function isPreflight(res: ServerResponse): boolean {
  return res.hasHeader('access-control-allow-methods');
}

/** The headers of an upstream's response with the daemon's CORS headers, if the daemon allowed the origin. */
export function withCorsHeaders(res: ServerResponse, headers: FlatHeaders): FlatHeaders {
  if (!res.hasHeader('access-control-allow-origin')) return headers;
  const merged = headers.filter((_, i) => !REPLACED.test(headers[i - (i % 2)] ?? ''));
  for (const [name, value] of Object.entries(res.getHeaders())) merged.push(name, String(value));
  return merged;
}
