import type { MutantArea } from '../mutant.ts';

export const TELEMETRY: MutantArea = {
  name: 'telemetry',
  tests: [
    'program/src/tracing',
    'daemon/src/http/metrics.test.ts',
    'daemon/src/core/unexpected-ends.test.ts',
    'daemon/src/http/openapi/query-numbers.test.ts',
    'program/src/memory',
  ],
  mutants: [
    {
      id: 'every-path-is-a-series',
      file: 'api/src/http/measure.ts',
      text: "request.routeOptions.url ?? 'unmatched'",
      replacement: 'request.routeOptions.url ?? request.url',
    },
    {
      id: 'closed-connections-are-not-counted',
      file: 'program/src/server/connection-totals.ts',
      text: 'this.#closed.bytesWritten += socket.bytesWritten;',
      replacement: '',
    },
    {
      id: 'daemon-begins-a-trace',
      file: 'program/src/tracing/http-span.ts',
      text: "parent: typeof parent === 'string' ? parent : undefined,",
      replacement: 'parent: undefined,',
    },
    {
      id: 'span-has-the-path',
      file: 'api/src/http/trace-requests.ts',
      text: "request.routeOptions.url ?? 'unmatched'",
      replacement: 'request.url',
    },
    {
      id: 'worker-begins-a-trace',
      file: 'daemon/src/capabilities/desktop/worker-client.ts',
      text: '...(traceparent !== undefined && { traceparent }),',
      replacement: '',
    },
    {
      id: 'command-gets-no-traceparent',
      file: 'daemon/src/capabilities/commands/run/launcher.ts',
      text: '{ TRACEPARENT: traceparent }',
      replacement: '{}',
    },
    {
      id: 'gateway-passes-the-parent-on',
      file: 'gateway/src/exchange/headers.ts',
      text: "if (traceparent !== undefined) headers.push('traceparent', traceparent);",
      replacement: '',
    },
    {
      id: 'health-checks-are-traced',
      file: 'gateway/src/exchange/trace-exchange.ts',
      text: 'if (HEALTH_PATHS.has(path)) return undefined;',
      replacement: '',
    },
    {
      id: 'last-spans-are-lost',
      file: 'program/src/tracing/otlp-tracing.ts',
      text: 'await Promise.race([this.#provider.shutdown().catch(ignore), late]);',
      replacement: '',
    },
    {
      id: 'freed-memory-is-kept',
      file: 'program/src/memory/trim-memory.ts',
      text: '    trim();',
      replacement: '',
    },
    {
      id: 'empty-text-is-zero',
      file: 'api/src/http/fields/query-number.ts',
      text: 'DECIMAL.test(value.trim()) ? Number(value) : Number.NaN',
      replacement: 'Number(value)',
    },
  ],
};
