import type { App } from '@sandbox/api/http/app-types.ts';
import { acceptAnyBody } from '@sandbox/api/http/body.ts';
import { statusOfKind } from '@sandbox/api/http/error-handler.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { keyIdIn, type OwnAdmission } from '../../core/access/credential.ts';
import type { Metrics } from '../../core/metrics.ts';
import { admitBy, credentialKindOf, credentialOf } from '../access/guard.ts';
import { acceptWebSocket, asksForWebSocket } from '../streams/websocket.ts';
import type { WebSocketPort } from '../streams/websocket-port.ts';
import type { LoadedProtocol } from './loaded-protocol.ts';
import type { ProtocolRefusal, ProtocolRequest } from './protocol.ts';

/** Serves each protocol below its prefix and at its places: the gate and the hooks of the app come first. */
export function mountProtocols(app: App, protocols: readonly LoadedProtocol[], metrics: Metrics): void {
  for (const protocol of protocols) {
    const { mounted } = protocol;
    if (!mounted.isServed) continue;
    const routesAt =
      (urls: readonly string[]): FastifyPluginCallback =>
      (scope: App, _options, done) => {
        acceptAnyBody(scope);
        refuseInItsWords(scope, mounted.refusal);
        scope.addHook('onResponse', (_request, reply, next) => {
          metrics.protocolRequests.inc({ protocol: mounted.name, status: reply.statusCode });
          metrics.protocolSeconds.observe({ protocol: mounted.name }, reply.elapsedTime / 1000);
          next();
        });
        for (const url of urls) {
          scope.all(url, {
            schema: { hide: true },
            config: {
              need: 'all',
              // What a protocol gives, such as tokens, would outlive a ticket or a cookie.
              needsKey: true,
              protocol: mounted.name,
              refusal: mounted.refusal,
              ...admitBy((request) => admissionOf(protocol, request)),
            },
            handler: (request, reply) => serve(protocol, request, reply),
          });
        }
        done();
      };
    void app.register(routesAt(['/', '/*']), { prefix: mounted.prefix });
    void app.register(routesAt(mounted.places.map(({ url }) => url)));
    protocol.resume();
  }
}

/** The service is loaded for this too: the credential is its own. */
async function admissionOf(protocol: LoadedProtocol, request: FastifyRequest): Promise<OwnAdmission> {
  const service = await protocol.service();
  return service.admits?.(requestOf(protocol, request));
}

async function serve(protocol: LoadedProtocol, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const service = await protocol.service();
  const { raw } = reply;
  // What hooks have set is part of the answer.
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  reply.hijack();
  try {
    const webSocket = asksForWebSocket(request.raw)
      ? (take: (port: WebSocketPort) => Promise<void>) => acceptWebSocket(request, reply, take)
      : undefined;
    await service.serve({ ...requestOf(protocol, request), res: raw, webSocket });
  } catch (error) {
    protocol.mounted.logger.error({ err: error, reqId: request.id }, 'unexpected error in a request of a protocol');
    if (raw.headersSent) raw.destroy();
    else {
      const { contentType, body } = protocol.mounted.refusal({ status: 500, message: 'internal error' });
      raw.writeHead(500, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }).end(body);
    }
  }
  return reply;
}

function requestOf({ mounted: { prefix } }: LoadedProtocol, request: FastifyRequest): ProtocolRequest {
  const url = request.raw.url ?? '';
  const target = request.routeOptions.url?.startsWith(prefix) ? url.slice(prefix.length) : url;
  return {
    req: request.raw,
    requestId: request.id,
    target: target.startsWith('/') ? target : `/${target}`,
    host: request.host,
    scheme: request.protocol,
    byKey: credentialKindOf(request) !== undefined,
    keyId: keyIdIn(credentialOf(request)),
  };
}

/** The status of an error of the frame, and its message without a stack. */
function refuseInItsWords(scope: App, refusal: ProtocolRefusal): void {
  scope.setErrorHandler((error, request, reply) => {
    const status = statusOf(error);
    const isKnown = error instanceof SandboxError || status < 500;
    if (!isKnown) request.log.error({ err: error, reqId: request.id }, 'unexpected error in a request');
    const message = isKnown && error instanceof Error ? error.message : 'internal error';
    const { contentType, body } = refusal({ status, message });
    return reply.code(status).type(contentType).send(body);
  });
}

function statusOf(error: unknown): number {
  if (error instanceof SandboxError) return statusOfKind(error.kind);
  const given = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  return given >= 400 && given < 600 ? given : 500;
}
