import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Credential } from '../../../core/access/credential.ts';
import { isPlainPath } from '../../../core/access/path-prefix.ts';
import { credentialKindOf, credentialOf, mayAlso, signOut } from '../../../http/access/guard.ts';
import { given } from '../../../http/openapi/given.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import type { SystemService } from '../system-service.ts';
import { processRoutesV2 } from './process-routes.ts';
import { usageRouteV2 } from './usage-route.ts';

/** Characters of a target or of a prefix; a request with a longer one is refused by the server. */
const TARGET_LENGTH_MAX = 8192;

const TicketRequest = z
  .object({
    path_prefix: z
      .string()
      .regex(/^\//, { error: 'expected a path that begins with /', abort: true })
      .refine(isPlainPath, 'expected a path without a query, dot segments and encoded slashes; target takes a query')
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

const Session = z
  .object({
    name: z.string().nullable().meta({ description: 'Of the key; null: the single key, or none is needed.' }),
    scopes: z.array(z.string()),
    by: z.enum(['header', 'query', 'ticket', 'cookie']).nullable().meta({ description: 'Null: no key is needed.' }),
  })
  .meta({ id: 'SignedIn' });

const BY_KEY = [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }];

/** A key of few scopes sees and withdraws its own tickets. */
function makerFor(request: FastifyRequest): Credential | undefined {
  return mayAlso(request, 'control') ? undefined : credentialOf(request);
}

export function systemV2(app: App, service: SystemService): void {
  app.post('/tickets', {
    links: linksTo({ id: '/data/id' }, ['revokeTicket']),
    schema: {
      tags: ['access'],
      operationId: 'createTicket',
      security: BY_KEY,
      summary: 'Make a ticket, a key for URLs',
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
      summary: 'List valid tickets',
      response: { 200: envelopeOf(TicketList), ...V2_ERRORS },
    },
    config: { needsKey: true },
    handler: async (request) => {
      const tickets = service.listTickets(makerFor(request)).map(({ id, scope, expiresAt, usesLeft }) => ({
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
    handler: async (request) => {
      const { params } = request;
      service.revokeTicket(params.id, makerFor(request));
      return ok({ id: params.id }, 'the ticket is withdrawn');
    },
  });

  app.get('/session', {
    schema: {
      tags: ['access'],
      operationId: 'getSession',
      summary: 'Your name and scopes',
      response: { 200: envelopeOf(Session), ...V2_ERRORS },
    },
    handler: async (request) => {
      const { name = null, scopes = ['all'] } = credentialOf(request);
      const by = credentialKindOf(request) ?? null;
      return ok({ name, scopes: [...scopes], by }, name === null ? 'signed in' : `signed in as ${name}`);
    },
  });

  app.delete('/session', {
    schema: {
      tags: ['access'],
      operationId: 'signOut',
      summary: 'Sign out; end what cookies opened',
      response: { 200: envelopeOf(SignedOut), ...V2_ERRORS },
    },
    handler: async (request) => ok({ cookies: signOut(request) }, 'signed out'),
  });

  processRoutesV2(app, service);
  usageRouteV2(app, service);
}
