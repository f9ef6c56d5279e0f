import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Implementations } from '../../../http/rpc/rpc-server.ts';
import { type HealthApi, ProcessApi, SERVING } from './wire.ts';

const KNOWN: ReadonlySet<string> = new Set(['', `${ProcessApi.package}.${ProcessApi.name}`]);

/** The health of the service: it serves until it stops. */
export function healthMethods<C>(closing: AbortSignal): Implementations<(typeof HealthApi)['methods'], C> {
  const now = () => ({ status: closing.aborted ? SERVING.NOT_SERVING : SERVING.SERVING });
  return {
    Check: async ({ service }) => {
      if (!KNOWN.has(service)) throw new SandboxError('not_found', 'unknown service');
      return now();
    },
    Watch: async function* ({ service }, { signal }) {
      yield KNOWN.has(service) ? now() : { status: SERVING.SERVICE_UNKNOWN };
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  };
}
