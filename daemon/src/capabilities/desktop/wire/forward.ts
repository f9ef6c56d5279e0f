import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bytesType } from '../../../http/answers/bytes-type.ts';
import { ACT_MS, type DesktopService, silent } from '../desktop-service.ts';
import { noWorker, type WorkerAnswer, WorkerSilence } from '../worker-client.ts';

/** Headers of requests and answers that go through; all others belong to one connection or to the daemon. */
const REQUEST_HEADERS = ['if-none-match'] as const;
const ANSWER_HEADERS =
  /^(?:content-type|cache-control|etag|retry-after|x-image-(?:width|height)|x-screen-(?:width|height))$/;
/** What a worker answers; another type could be a page that runs under the origin of the sandbox. */
const ANSWER_TYPES = /^(?:application\/json(?:;|$)|image\/(?:png|jpeg|webp)$)/;
/** Statuses of a worker; none of them speaks of the key or leads elsewhere. */
const ANSWER_STATUSES: ReadonlySet<number> = new Set([
  200, 304, 400, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503, 507,
]);
/** Milliseconds for an answer; the tree of accessibility has a deadline of its own, of 60 s at most. */
const FORWARD_MS = 65_000;

/** A route of the desktop; `url` is that of the worker below `/v2`. */
interface ForwardedRoute {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly schema: object;
}

interface ForwardTerms {
  /** Below the prefix; default: that of the worker. */
  readonly url?: string;
  /** What the worker receives instead of a body. */
  readonly toWorker?: (body: unknown) => unknown;
}

/** Adds a route whose requests the worker answers, after they were validated here. */
export function forwardRoute(
  app: App,
  desktop: DesktopService,
  route: ForwardedRoute,
  { url = route.url, toWorker = (body) => body }: ForwardTerms = {},
): void {
  const isInput = route.url.startsWith('/computer/actions');
  app.route({
    ...route,
    url,
    // Clients of 1.x send their own fields to these.
    config: { namesUnknownFields: isInput || route.url === '/computer/record' },
    handler: async (request, reply) => {
      const { search } = new URL(request.raw.url ?? '', 'http://daemon');
      try {
        const answer = await desktop.forward({
          method: route.method,
          path: `/v2${route.url}${search}`,
          headers: headersOf(request),
          body: route.method === 'POST' ? toWorker(request.body) : undefined,
          ms: isInput ? ACT_MS : FORWARD_MS,
          signal: clientGone(reply),
        });
        return pass(answer, reply, request.headers.accept);
      } catch (error) {
        if (error instanceof WorkerSilence) return reply.send(unfinished(error, request.body));
        throw error;
      }
    },
  });
}

function headersOf(request: FastifyRequest): Record<string, string> {
  const passed = REQUEST_HEADERS.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { 'x-request-id': request.id, ...Object.fromEntries(passed) };
}

/** @throws SandboxError `unavailable` if it is no answer of a worker */
function pass({ status, headers, body }: WorkerAnswer, reply: FastifyReply, accept?: string): FastifyReply {
  const type = headers['content-type'] ?? '';
  const isTyped = status === 304 || ANSWER_TYPES.test(headers['content-type'] ?? '');
  if (!ANSWER_STATUSES.has(status) || !isTyped) {
    throw noWorker(new Error(`status ${status}, content-type ${headers['content-type']}`));
  }
  const passed = Object.entries(headers).filter(([name]) => ANSWER_HEADERS.test(name));
  return reply
    .code(status)
    .headers({
      ...Object.fromEntries(passed),
      ...(type.startsWith('image/') && { 'content-type': bytesType(accept, type) }),
    })
    .send(status === 304 ? null : body);
}

/** The answer for actions of which the last that had begun did not end. */
function unfinished(silence: WorkerSilence, body: unknown): object {
  const { success, message, hint } = silent(silence);
  const index = silence.begun - 1;
  const failed = { status: 'failed', performed: index, failed_index: index };
  if (typeof body === 'object' && body !== null && 'action_type' in body) {
    const performed = { ...failed, action_performed: body.action_type };
    return { success, message, hint, data: performed, ...performed };
  }
  return { success, message, hint, data: { ...failed, error: message, reason: 'unavailable' } };
}
