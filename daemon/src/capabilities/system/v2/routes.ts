import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { given } from '../../../http/openapi/given.ts';
import type { SystemService } from '../system-service.ts';

/** Characters of a target or of a prefix; a request with a longer one is refused by the server. */
const TARGET_LENGTH_MAX = 8192;

const TicketRequest = z
  .object({
    path_prefix: z
      .string()
      .regex(/^\//, 'expected a path that begins with /')
      .max(TARGET_LENGTH_MAX)
      .optional()
      .meta({ description: 'The ticket is good for paths at or below this one, with any query.' }),
    target: z
      .string()
      .regex(/^\/(?!\/)/, 'expected a path that begins with one /')
      .max(TARGET_LENGTH_MAX)
      .optional()
      .meta({ description: 'The ticket is good for this path with exactly this query, in any order.' }),
    ttl: z.number().min(1).max(3600).default(30).meta({ description: 'Seconds that the ticket is valid.' }),
    uses: z.int().min(1).max(1_000_000).default(1).meta({ description: 'Requests that it may be used for.' }),
  })
  .check(({ value, issues }) => {
    if ((value.path_prefix === undefined) !== (value.target === undefined)) return;
    const message = 'either path_prefix or target is required';
    issues.push({ code: 'custom', message, path: ['path_prefix'], input: value.path_prefix });
  })
  .meta({
    id: 'TicketRequest',
    example: { path_prefix: '/vnc', ttl: 60 },
    oneOf: [given('path_prefix'), given('target')],
  });

const Ticket = z.object({ ticket: z.string(), expires_at: z.iso.datetime() }).meta({ id: 'Ticket' });

export function systemV2(app: App, service: SystemService): void {
  app.post('/tickets', {
    schema: {
      tags: ['system'],
      operationId: 'createTicket',
      security: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
      summary: 'Issue a ticket that stands for the key on URLs that cannot carry headers',
      body: TicketRequest,
      response: { 200: envelopeOf(Ticket), ...V2_ERRORS },
    },
    config: { needsKey: true },
    handler: async ({ body: { path_prefix = '/', target, ttl, uses } }) => {
      const scope = target === undefined ? { pathPrefix: path_prefix } : { target };
      const { ticket, expiresAt } = service.issueTicket({ ...scope, ttl, uses });
      return ok({ ticket, expires_at: expiresAt.toISOString() }, `ticket for ${target ?? path_prefix}`);
    },
  });
}
