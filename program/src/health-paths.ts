import type { IncomingMessage } from 'node:http';

/** Paths that probes request all the time; successes are logged at debug only. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/health', '/ready', '/v1/ping', '/v1/health']);

/** A request for one of them, whatever its query is. */
export function isHealthCheck({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return (method === 'GET' || method === 'HEAD') && HEALTH_PATHS.has(url.split('?', 1)[0] ?? '');
}
