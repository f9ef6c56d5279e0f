import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEALTH_PATHS } from '@sandbox/program/health-paths.ts';
import { startHttpSpan } from '@sandbox/program/tracing/http-span.ts';
import type { Tracing } from '@sandbox/program/tracing/span.ts';

interface Traced {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly path: string;
}

/**
 * Begins the span of an exchange. It names no path, since a path of a previewed application may hold a secret.
 * @returns `traceparent` for the upstream; undefined for health checks
 */
export function traceExchange(tracing: Tracing, { path, ...exchange }: Traced): string | undefined {
  if (HEALTH_PATHS.has(path)) return undefined;
  return startHttpSpan(tracing, { ...exchange, name: 'gateway' }).traceparent;
}
