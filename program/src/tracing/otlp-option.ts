import { z } from 'zod';
import { named } from '../options.ts';

/** The collector of both services. The SDK itself reads further variables, `OTEL_EXPORTER_OTLP_HEADERS` among them. */
export function otlpEndpoint(): z.ZodType<string | undefined, string | undefined> {
  return named(z.url({ protocol: /^https?$/, error: 'expected an http URL' }).optional(), {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    flag: 'otlp-endpoint',
    description: 'Base URL of an OTLP/HTTP collector, which gets traces of requests and commands. Unset: no traces.',
  });
}
