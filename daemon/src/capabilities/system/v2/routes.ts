import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { credentialOf, signOut } from '../../../http/access/guard.ts';
import { given } from '../../../http/openapi/given.ts';
import { linksTo } from '../../../http/openapi/links.ts';
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

const id = z.string().meta({ description: 'Names the ticket, and opens nothing.', examples: ['Zm9vYmFyYmF6cXV4'] });
const expires_at = z.iso.datetime();

const Ticket = z.object({ id, ticket: z.string(), expires_at }).meta({ id: 'Ticket' });

const ListedTicket = z
  .object({
    id,
    path_prefix: z.string().optional(),
    target: z.string().optional(),
    expires_at,
    uses_left: z.int(),
  })
  .meta({ id: 'ListedTicket' });

const TicketList = z.object({ tickets: z.array(ListedTicket) }).meta({ id: 'TicketList' });
const SignedOut = z
  .object({ cookies: z.int().meta({ description: 'Cookies of the request that were valid until now.' }) })
  .meta({ id: 'SignedOut' });

const BY_KEY = [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }];

export function systemV2(app: App, service: SystemService): void {
  app.post('/tickets', {
    links: linksTo({ id: '/data/id' }, ['revokeTicket']),
    schema: {
      tags: ['access'],
      operationId: 'createTicket',
      security: BY_KEY,
      summary: 'Make a ticket, which stands for the key in a URL',
      body: TicketRequest,
      response: { 200: envelopeOf(Ticket), ...V2_ERRORS },
    },
    config: { needsKey: true },
    handler: async (request) => {
      const { path_prefix = '/', target, ttl, uses } = request.body;
      const scope = target === undefined ? { pathPrefix: path_prefix } : { target };
      const { id, ticket, expiresAt } = service.issueTicket({ ...scope, ttl, uses }, credentialOf(request));
      return ok({ id, ticket, expires_at: expiresAt.toISOString() }, `ticket for ${target ?? path_prefix}`);
    },
  });

  app.get('/tickets', {
    schema: {
      tags: ['access'],
      operationId: 'listTickets',
      security: BY_KEY,
      summary: 'List the valid tickets',
      response: { 200: envelopeOf(TicketList), ...V2_ERRORS },
    },
    config: { needsKey: true },
    handler: async () => {
      const tickets = service.listTickets().map(({ id, scope, expiresAt, usesLeft }) => ({
        id,
        ...('target' in scope ? { target: scope.target } : { path_prefix: scope.pathPrefix }),
        expires_at: expiresAt.toISOString(),
        uses_left: usesLeft,
      }));
      return ok({ tickets }, `${tickets.length} tickets`);
    },
  });

  app.delete('/tickets/:id', {
    schema: {
      tags: ['access'],
      operationId: 'revokeTicket',
      security: BY_KEY,
      summary: 'End a ticket and what it opened',
      params: z.object({ id }),
      response: { 200: envelopeOf(z.object({ id }).meta({ id: 'RevokedTicket' })), ...V2_ERRORS },
    },
    config: { needsKey: true },
    handler: async ({ params }) => {
      service.revokeTicket(params.id);
      return ok({ id: params.id }, 'the ticket is withdrawn');
    },
  });

  app.delete('/session', {
    schema: {
      tags: ['access'],
      operationId: 'signOut',
      summary: 'Sign out; end what the cookies opened',
      response: { 200: envelopeOf(SignedOut), ...V2_ERRORS },
    },
    handler: async (request) => ok({ cookies: signOut(request) }, 'signed out'),
  });
}
