import type { IncomingHttpHeaders } from 'node:http';
import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, failure, ok, ValidationErrorBody } from '@sandbox/api/http/envelope.ts';
import { VERSION } from '@sandbox/api/version.ts';
import { z } from 'zod';
import type { Metrics } from '../core/metrics.ts';
import { INTERNAL_PATHS, mountInternal } from './access/internal-routes.ts';
import type { AccessGate } from './access/live-gate.ts';
import type { Uses } from './access/uses.ts';
import type { PublicReadiness } from './health/public-readiness.ts';
import type { Readiness } from './health/readiness.ts';
import type { PreviewCredential } from './protocols/preview-credentials.ts';

const Health = z
  .object({ status: z.literal('healthy'), version: z.string(), uptime_seconds: z.number() })
  .meta({ id: 'Health' });

const HealthQuery = z.object({
  ready: z
    .enum(['', 'true', '1', 'false', '0'], { error: 'expected ?ready, ?ready=true or ?ready=false' })
    .optional()
    .meta({ description: 'Answer 503 while the sandbox cannot be used, without the reason, which the log has.' }),
});

const NOT_READY = {
  ...failure('the sandbox is not ready', 'GET /ready, with the key, names what is missing; so does the log'),
  success: false as const,
};

const ReadinessBody = z
  .object({
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string(), hint: z.string().optional() })),
  })
  .meta({ id: 'Readiness', description: 'What was tried, and whether it worked.' });

/** The operator's routes that need no key. */
export const PUBLIC_OPERATIONS: readonly string[] = ['/', '/health', ...INTERNAL_PATHS];

export interface Operations {
  readonly gate: AccessGate;
  readonly uses: Uses;
  readonly metrics: Metrics;
  readonly isTrusted: (address: string) => boolean;
  /** What opens a request for a preview beside the key; undefined: nothing. */
  readonly previewCredential: (headers: IncomingHttpHeaders) => Promise<PreviewCredential | undefined>;
  readonly readiness: Readiness;
  readonly publicReadiness: PublicReadiness;
}

/** The operator's routes, outside both surfaces. */
export function mountOperations(app: App, operations: Operations): void {
  const { metrics, publicReadiness, readiness } = operations;
  const startedAt = performance.now();
  const tags = ['operations'];

  app.get('/', { schema: { hide: true } }, async () =>
    ok(
      { name: 'sandboxd', version: VERSION, api: ['/v2', '/v1'], openapi: ['/v2/openapi.json', '/v1/openapi.json'] },
      'sandbox service',
    ),
  );
  app.get(
    '/health',
    {
      schema: {
        tags,
        operationId: 'getHealth',
        summary: 'Whether the daemon runs, or with `ready` the sandbox',
        security: [],
        querystring: HealthQuery,
        response: { 200: Health, 422: ValidationErrorBody, 503: ErrorBody },
      },
    },
    async ({ query: { ready } }, reply) => {
      const mustBeReady = ready === '' || ready === 'true' || ready === '1';
      if (mustBeReady && !(await publicReadiness.isReady())) {
        return reply.code(503).header('retry-after', '1').send(NOT_READY);
      }
      return {
        status: 'healthy' as const,
        version: VERSION,
        uptime_seconds: Math.round((performance.now() - startedAt) / 10) / 100,
      };
    },
  );
  app.get('/ready', {
    schema: {
      tags,
      operationId: 'getReadiness',
      summary: 'Whether commands, files and programs work',
      response: { 200: envelopeOf(ReadinessBody), 503: ErrorBody },
    },
    handler: async (_request, reply) => {
      const checks = await readiness.checks();
      const failed = checks.filter((check) => !check.ok);
      if (failed.length === 0) return ok({ checks }, 'ready');
      const message = `not ready: ${failed.map(({ name, detail }) => `${name} (${detail})`).join(', ')}`;
      return reply.code(503).send({
        ...failure(message, failed[0]?.hint ?? 'retry shortly; checks says what does not work', { checks }),
        success: false as const,
      });
    },
  });
  app.get(
    '/metrics',
    {
      schema: {
        tags,
        operationId: 'getMetrics',
        summary: 'Figures in the Prometheus text format',
        produces: ['text/plain'],
      },
    },
    async (_request, reply) => {
      const { contentType, body } = await metrics.text();
      return reply.type(contentType).send(body);
    },
  );
  mountInternal(app, operations);
}
