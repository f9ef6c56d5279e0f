import { z } from 'zod';
import type { App } from '../../../http/app-types.ts';
import { envelopeOf, ok, V2_ERRORS } from '../../../http/envelope.ts';
import type { SystemService } from '../system-service.ts';

const TicketRequest = z
  .object({
    path_prefix: z
      .string()
      .startsWith('/', 'expected a path that begins with /')
      .default('/')
      .meta({ description: 'The ticket is good for paths at or below this one.' }),
    ttl: z.number().min(1).max(3600).default(30).meta({ description: 'Seconds that the ticket is valid.' }),
    uses: z.int().min(1).max(1_000_000).default(1).meta({ description: 'Requests that it may be used for.' }),
  })
  .meta({ id: 'TicketRequest' });

const Ticket = z.object({ ticket: z.string(), expires_at: z.iso.datetime() }).meta({ id: 'Ticket' });

export function systemV2(app: App, service: SystemService): void {
  app.post('/tickets', {
    schema: {
      tags: ['system'],
      summary: 'Issue a ticket that stands for the key on URLs that cannot carry headers',
      body: TicketRequest,
      response: { 200: envelopeOf(Ticket), ...V2_ERRORS },
    },
    handler: async ({ body: { path_prefix, ttl, uses } }) => {
      const { ticket, expiresAt } = service.issueTicket({ pathPrefix: path_prefix, ttl, uses });
      return ok({ ticket, expires_at: expiresAt.toISOString() }, `ticket for ${path_prefix}`);
    },
  });
}
