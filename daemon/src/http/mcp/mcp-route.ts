import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { App } from '@sandbox/api/http/app-types.ts';
import { acceptAnyBody, isRawBody, textOf } from '@sandbox/api/http/body.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import type { FastifyReply } from 'fastify';
import { serveCaller } from '../../core/access/public-caller.ts';
import { publicCallerOf } from '../access/public-caller.ts';
import { LIVE_HEADERS } from '../streams/send-stream.ts';

/** Bytes of one message to the hub. */
const MCP_BODY_LIMIT = 8 * 1024 ** 2;

/** Fields of its query. */
const QUERY = ['tools'];

/** What answers messages of the Model Context Protocol. */
export interface McpPosts {
  post(message: {
    readonly body: string;
    readonly headers: IncomingHttpHeaders;
    readonly gone: AbortSignal;
  }): Promise<McpAnswer>;
}

interface McpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | undefined;
}

/**
 * The route of the hub; GET and DELETE are 405, since there are no sessions.
 * @param open by the set of tools that the query names
 */
export function mcpRoute(path: string, open: (set?: unknown) => Promise<McpPosts>): (app: App) => void {
  return (app) => {
    acceptAnyBody(app);
    app.post(path, { schema: { hide: true } }, async (request, reply) => {
      const gone = clientGone(reply);
      const { body } = request;
      const text = isRawBody(body) ? await textOf(body, request, MCP_BODY_LIMIT) : '';
      const { tools } = request.query as { readonly tools?: unknown };
      const posts = await open(tools);
      const post = { body: text, headers: request.headers, gone };
      const served = serveCaller(publicCallerOf(request, QUERY), () => posts.post(post));
      return await answer(reply, await served);
    });
  };
}

async function answer(reply: FastifyReply, { status, headers, body }: McpAnswer): Promise<FastifyReply> {
  void reply.code(status).headers(headers);
  if (headers['content-type']?.startsWith('text/event-stream')) void reply.headers(LIVE_HEADERS);
  // Without a serializer the framework would add a charset to the type.
  if (typeof body === 'string') return await reply.serializer(asItIs).send(body);
  return await reply.send(body && Readable.fromWeb(body));
}

function asItIs(text: string): string {
  return text;
}
