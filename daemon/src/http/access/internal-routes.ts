import type { IncomingHttpHeaders } from 'node:http';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { failure } from '@sandbox/api/http/envelope.ts';
import { portOfPreview } from '@sandbox/program/pages.ts';
import { CREDENTIAL, MISSING_SCOPE, VIEW_ONLY } from '@sandbox/program/withdrawn.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { permits } from '../../core/access/scopes.ts';
import type { PreviewCredential } from '../protocols/preview-credentials.ts';
import type { AccessDecision, AccessRequest } from './gate.ts';
import { accessRequestOf, answerPreflight, isPreflight } from './guard.ts';
import type { AccessGate } from './live-gate.ts';
import { needOfPage } from './route-needs.ts';
import type { Uses } from './uses.ts';

/** Paths for the gateway: it asks for decisions, and which credentials were withdrawn. */
export const INTERNAL_PATHS: readonly string[] = ['/internal/auth', '/internal/credentials'];

type Denial = AccessDecision & { readonly admitted: false };

interface Access {
  readonly gate: AccessGate;
  readonly uses: Uses;
  readonly isTrusted: (address: string) => boolean;
  /** What opens a request for a preview beside the key; undefined: nothing. */
  readonly previewCredential: (headers: IncomingHttpHeaders) => Promise<PreviewCredential | undefined>;
}

export function mountInternal(app: App, { gate, uses, isTrusted, previewCredential }: Access): void {
  app.get('/internal/auth', { schema: { hide: true } }, async (request, reply) => {
    const accessRequest = originalRequest(request, isTrusted);
    const { origin } = request.headers;
    if (origin !== undefined && gate.origins.isListed(origin) && isPreflight(accessRequest.method, request.headers)) {
      answerPreflight(request, reply);
      return reply;
    }
    // Before the decision: whoever holds the older cursor asks again.
    const { cursor } = uses.validity();
    const decision = gate.judge({ ...accessRequest, need: needOfPage(accessRequest.target) });
    const admit = (headers: Readonly<Record<string, string>>): FastifyReply =>
      reply
        .code(204)
        .headers({ 'content-security-policy': gate.frameRule, ...headers })
        .send();
    if (!decision.admitted) {
      const own = await ownCredential(decision, accessRequest, gate, previewCredential);
      if (own === undefined) return deny(reply, decision);
      return admit({ [CREDENTIAL]: [cursor, ...own.credential.ids].join(' '), 'x-credentials': own.field });
    }
    const fields = gate.credentialFields(accessRequest.target, request.raw.rawHeaders, decision.ticket);
    const ids = decision.credential?.ids;
    return admit({
      ...(ids && { [CREDENTIAL]: [cursor, ...ids].join(' ') }),
      ...(decision.credential && !permits(decision.credential, 'control') && { [VIEW_ONLY]: '1' }),
      ...admissionHeaders(decision, fields),
    });
  });

  app.get('/internal/credentials', { schema: { hide: true } }, async (request, reply) => {
    // The gateway forwarded a request with this header from a client.
    if (request.headers['x-forwarded-for'] !== undefined) {
      return reply.code(404).send(failure('not found', 'only the gateway asks this'));
    }
    const { after } = request.query as { after?: unknown };
    const gone = clientGone(reply);
    return typeof after === 'string' ? await uses.changedSince(after, gone) : uses.validity();
  });
}

/** By which a protocol opens a preview, unless the service is closed to every credential. */
async function ownCredential(
  { kind }: Denial,
  { target, headers }: AccessRequest,
  gate: AccessGate,
  find: Access['previewCredential'],
): Promise<PreviewCredential | undefined> {
  const [path = ''] = target.split('?', 1);
  const canOpen = kind === 'unauthorized' && gate.takesCredentials && portOfPreview(path) !== undefined;
  return canOpen ? await find(headers) : undefined;
}

function deny(reply: FastifyReply, { kind, sufficient }: Denial): FastifyReply {
  if (sufficient !== undefined) void reply.header(MISSING_SCOPE, sufficient);
  return reply.code(kind === 'forbidden' ? 403 : 401).send();
}

/** The request that the gateway asks about. */
function originalRequest(request: FastifyRequest, isTrusted: (address: string) => boolean): AccessRequest {
  const {
    'x-original-uri': target = '',
    'x-original-method': method = 'GET',
    'x-original-upgrade': upgrade,
  } = request.headers;
  return {
    ...accessRequestOf(request, isTrusted),
    target: [target].flat()[0] ?? '',
    method: [method].flat()[0] ?? 'GET',
    upgrade: upgrade !== undefined && upgrade !== '',
  };
}

/** What the gateway does with the response, the link and the credentials of an admitted request. */
function admissionHeaders(
  { setCookie, previewTicket }: AccessDecision & { admitted: true },
  credentials: readonly string[],
): Record<string, string> {
  return {
    ...(setCookie !== undefined && { 'set-cookie': setCookie }),
    ...(previewTicket !== undefined && { 'x-preview-ticket': previewTicket }),
    ...(credentials.length > 0 && { 'x-credentials': credentials.join(', ') }),
  };
}
