import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { noteKeyName } from '@sandbox/api/http/access-log.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { failure } from '@sandbox/api/http/envelope.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ADMITTED } from '@sandbox/program/pages.ts';
import { endWith, type LastAnswer } from '@sandbox/program/server/last-answer.ts';
import { forwardedPrefix } from '@sandbox/program/trusted-proxies.ts';
import { WITHDRAWN_ANSWER } from '@sandbox/program/withdrawn.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runAs } from '../../core/access/caller.ts';
import { type Credential, OPEN, type OwnAdmission } from '../../core/access/credential.ts';
import { type Need, permits } from '../../core/access/scopes.ts';
import type { Recorder } from '../../core/recorder/recorder.ts';
import type { AccessDecision, AccessRequest, CredentialKind } from './gate.ts';
import type { AccessGate } from './live-gate.ts';
import { sourceOf } from './request-source.ts';
import type { RouteNeeds } from './route-needs.ts';
import type { Uses } from './uses.ts';

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

/** Their access rules are their own. */
const INTERNAL: ReadonlySet<string> = new Set(['/internal/auth', '/internal/credentials']);

const admittedBy = new WeakMap<IncomingMessage, CredentialKind>();
const credentials = new WeakMap<IncomingMessage, Credential>();
const signOuts = new WeakMap<IncomingMessage, () => number>();

/** What opened a request, for what is made in its name. */
export function credentialOf({ raw }: FastifyRequest): Credential {
  return credentials.get(raw) ?? OPEN;
}

/** Whether the credential of a request is good for more than its route needs. */
export function mayAlso(request: FastifyRequest, need: Need): boolean {
  return permits(credentialOf(request), need);
}

/** Withdraws the cookies of a request. @returns how many */
export function signOut({ raw }: FastifyRequest): number {
  return signOuts.get(raw)?.() ?? 0;
}

/** The kind of the credential that admitted a request; undefined if it needed none. */
export function credentialKindOf({ raw }: FastifyRequest): CredentialKind | undefined {
  return admittedBy.get(raw);
}

/** Whether a request that the gate refuses for lack of a key has another credential, which its route knows. */
type Admits = (request: FastifyRequest) => Promise<OwnAdmission>;

/** The configuration of a route with credentials of its own beside the key. */
export function admitBy(admits: Admits): { readonly admits: Admits } {
  return { admits };
}

function admitsOf({ routeOptions: { config } }: FastifyRequest): Admits | undefined {
  return 'admits' in config ? (config.admits as Admits) : undefined;
}

const fromTrustedProxy = new WeakSet<IncomingMessage>();

/** Origin and path prefix by which the caller reached the service; `secure` selects the scheme. */
export interface PublicBase {
  readonly secure: boolean;
  /** Host with its port, followed by the prefix that a trusted proxy removed. */
  readonly base: string;
}

export function publicBaseOf(request: FastifyRequest): PublicBase {
  const isForwarded = fromTrustedProxy.has(request.raw);
  const prefix = isForwarded ? forwardedPrefix(request.headers['x-forwarded-prefix']) : '';
  return { secure: request.protocol === 'https', base: `${request.host}${prefix}` };
}

/** Rejects requests without valid credentials, before any other processing of the request. */
export function guard(
  app: App,
  gate: AccessGate,
  isTrusted: (address: string) => boolean,
  uses: Uses,
  needs: RouteNeeds,
  recorder: Recorder,
): void {
  app.addHook('onRoute', ({ method, url, config = {} }) => {
    const isDecided = 'need' in config || [method].flat().every((one) => needs.of(one, url) !== undefined);
    if (!isDecided)
      app.log.warn({ method, url }, 'no scope is decided for the route: it needs a key with the scope all');
  });
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    uses.finish(raw);
    done();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (isTrusted(request.socket.remoteAddress ?? '')) fromTrustedProxy.add(request.raw);
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin !== undefined && gate.origins.isListed(origin)) {
      allowOrigin(reply, origin);
      if (isPreflight(request.method, request.headers)) {
        answerPreflight(request, reply);
        return;
      }
    }
    if (INTERNAL.has(request.routeOptions.url ?? '')) {
      done();
      return;
    }
    const { config } = request.routeOptions;
    const needsKey = 'needsKey' in config && config.needsKey === true;
    const need = 'need' in config ? (config.need as Need) : needs.of(request.method, request.routeOptions.url);
    const decision = gate.judge({ ...accessRequestOf(request, isTrusted), needsKey, need });
    if (!decision.admitted) {
      refuseUnlessAdmitted(request, { gate, reply, uses }, refusal(decision), done);
      return;
    }
    admit(request, reply, { gate, uses }, decision);
    reportAdmission(request, reply, gate);
    done();
  });
  // After the body was read: events of the connection have no such context.
  app.addHook('preHandler', (request, _reply, done) => {
    runAs(credentialOf(request), done, recorder.isOn ? sourceOf(request) : undefined);
  });
}

/** What handlers ask about an admitted request. */
function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { gate, uses }: Pick<Refused, 'gate' | 'uses'>,
  { by, credential }: AccessDecision & { admitted: true },
): void {
  const { raw } = request;
  if (by !== undefined) admittedBy.set(raw, by);
  if (credential !== undefined) begin(request, reply, uses, credential);
  if (by !== 'cookie') return;
  signOuts.set(raw, () => {
    // The answer to this request is not cut.
    uses.finish(raw);
    return gate.signOut(raw.headers.cookie);
  });
}

/** When the credential is withdrawn, a request is refused that is not answered yet, and ends with its connection otherwise. */
function begin(request: FastifyRequest, reply: FastifyReply, uses: Uses, credential: Credential): void {
  const { raw } = request;
  credentials.set(raw, credential);
  if (credential.name !== undefined) noteKeyName({ raw }, credential.name);
  uses.begin(raw, credential, () => endWith(reply.raw, refusalOfWithdrawn(request, reply)));
}

/** A route whose errors have the format of a foreign protocol. */
interface InOwnWords {
  readonly refusal: (error: { readonly status: number; readonly message: string }) => {
    readonly contentType: string;
    readonly body: string;
  };
}

function refusalOfWithdrawn({ routeOptions: { config } }: FastifyRequest, reply: FastifyReply): LastAnswer {
  const { contentType, body } =
    'refusal' in config
      ? (config as InOwnWords).refusal({ status: 401, message: WITHDRAWN_ANSWER.message })
      : {
          contentType: 'application/json; charset=utf-8',
          body: JSON.stringify(failure(WITHDRAWN_ANSWER.message, WITHDRAWN_ANSWER.hint)),
        };
  const set = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  return { status: 401, headers: { ...Object.fromEntries(set), 'content-type': contentType }, body };
}

interface Refused {
  readonly gate: AccessGate;
  readonly reply: FastifyReply;
  readonly uses: Uses;
}

/** Another credential stands for a key that is missing or wrong, not for a host or an origin. */
function refuseUnlessAdmitted(
  request: FastifyRequest,
  { gate, reply, uses }: Refused,
  refused: SandboxError,
  done: (error?: Error) => void,
): void {
  const admits = refused.kind === 'unauthorized' && gate.takesCredentials ? admitsOf(request) : undefined;
  if (admits === undefined) {
    done(refused);
    return;
  }
  void admits(request).then((admission) => {
    if (admission !== undefined && admission !== 'public') begin(request, reply, uses, admission);
    done(admission === undefined ? refused : undefined);
  }, done);
}

/** The gateway counts connections without a credential; clients that do not use it need no such header. */
function reportAdmission({ headers, raw }: FastifyRequest, reply: FastifyReply, gate: AccessGate): void {
  const isAdmitted = admittedBy.has(raw) || !gate.isPublic(raw.url ?? '');
  if (isAdmitted && headers['x-forwarded-for'] !== undefined) void reply.header(ADMITTED, '1');
}

/** The access request for a request to the daemon itself. */
export function accessRequestOf(request: FastifyRequest, isTrusted: (address: string) => boolean): AccessRequest {
  return {
    method: request.method,
    target: request.raw.url ?? '',
    upgrade: request.headers.upgrade !== undefined,
    headers: request.headers,
    fromTrustedProxy: isTrusted(request.socket.remoteAddress ?? ''),
  };
}

function refusal(decision: AccessDecision & { admitted: false }): SandboxError {
  return new SandboxError(decision.kind, decision.message, { hint: decision.hint });
}

/** Sends CORS headers (Fetch standard §3.3); only for origins that the operator has listed. */
function allowOrigin(reply: FastifyReply, origin: string): void {
  void reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'x-request-id, etag, content-range, content-disposition, retry-after',
    vary: 'Origin',
  });
}

/** Whether a request is a CORS preflight (Fetch standard §3.3.2). */
export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Responds to the preflight of a listed origin, after `allowOrigin`. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(204)
    .headers({
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
      'access-control-max-age': PREFLIGHT_SECONDS,
    })
    .send();
}
