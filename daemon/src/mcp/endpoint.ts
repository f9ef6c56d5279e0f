import {
  classifyInboundRequest,
  createMcpHandler,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpHttpHandler,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { hasLoneSurrogate } from '@sandbox/program/exact-text.ts';
import { jsonExcess } from '@sandbox/program/json-shape.ts';
import { answerInstead } from '../core/answers/answer-hold.ts';
import { serveBatch } from './batch.ts';
import { CallsInFlight } from './calls-in-flight.ts';
import { directRequest, serveDirectly } from './direct-request.ts';
import { eventStream } from './event-stream.ts';
import { type NotificationSink, serveRequest } from './exchange.ts';
import type { Hub } from './hub.ts';
import { hubServer } from './hub-server.ts';
import { ACCEPTED, answerOf, type HubAnswer, jsonAnswer, memberOf, RPC, rpcFailure } from './json-rpc.ts';
import { headerOf, type MessageHeaders, webHeaders } from './message-headers.ts';
import { withoutResult } from './tool-result.ts';

/** One POST to the hub. */
export interface HubPost {
  readonly body: string;
  readonly headers: MessageHeaders;
  /** Fires when the client has left. */
  readonly gone: AbortSignal;
}

/** The only revision with batches (MCP 2025-03-26, basic; removed in 2025-06-18). */
const BATCH_VERSION = '2025-03-26';
/** A parser may ignore it before the value (RFC 8259, section 8.1). */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Model Context Protocol over streamable HTTP without sessions. It is tolerant: a plain POST without `initialize`,
 * without a session and without `text/event-stream` in `Accept` gets JSON. Clients of 2026-07-28 are served by the
 * SDK's own handler.
 */
export class McpEndpoint {
  readonly #hub: Hub;
  readonly #modern: McpHttpHandler;
  readonly #calls = new CallsInFlight();

  constructor(hub: Hub) {
    this.#hub = hub;
    this.#modern = createMcpHandler(() => hubServer(hub), { legacy: 'reject' });
  }

  async post({ body: text, headers, gone }: HubPost): Promise<HubAnswer> {
    const excess = jsonExcess(text);
    if (excess !== undefined) return jsonAnswer(rpcFailure(null, RPC.invalidRequest, `the message has ${excess}`));
    let message: unknown;
    try {
      message = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    } catch {
      return jsonAnswer(rpcFailure(null, RPC.parse, 'Parse error: the body is not JSON'));
    }
    if (hasLoneSurrogate(text, message)) {
      const reason = 'Invalid Request: the message has half of a surrogate pair, which is not Unicode text';
      return jsonAnswer(rpcFailure(memberOf(message, 'id'), RPC.invalidRequest, reason), 400);
    }
    return await this.#serve(message, headers, gone);
  }

  async close(): Promise<void> {
    await this.#modern.close();
  }

  async #serve(message: unknown, headers: MessageHeaders, gone: AbortSignal): Promise<HubAnswer> {
    const version = headerOf(headers, 'mcp-protocol-version');
    if (Array.isArray(message)) return await this.#serveBatch(message, version, headers, gone);
    const direct = directRequest(message, headers);
    if (direct) return await this.#answer(direct.message, headers, gone);
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      body: message,
      ...(version !== undefined && { protocolVersionHeader: version }),
      ...header(headers, 'mcp-method', 'mcpMethodHeader'),
      ...header(headers, 'mcp-name', 'mcpNameHeader'),
    });
    if (route.kind === 'reject') {
      return jsonAnswer(rpcFailure(memberOf(message, 'id'), route.code, route.message, route.data), route.httpStatus);
    }
    if (route.kind === 'modern') {
      const given = { method: 'POST', headers: webHeaders(headers), signal: gone };
      const request = new Request('http://localhost/mcp', given);
      return answerOf(await this.#modern.fetch(request, { parsedBody: message }));
    }
    if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
      const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
      const reason = `Bad Request: Unsupported protocol version (supported versions: ${known})`;
      return jsonAnswer(rpcFailure(memberOf(message, 'id'), RPC.invalidRequest, reason), 400);
    }
    if (!isJSONRPCRequest(message)) {
      this.#receive(message, headers);
      return ACCEPTED;
    }
    return await this.#answer(message, headers, gone);
  }

  async #answer(request: JSONRPCRequest, headers: MessageHeaders, gone: AbortSignal): Promise<HubAnswer> {
    const isStreamed = wantsProgress(request) && acceptsEvents(headers);
    if (isStreamed) return eventStream((notified) => this.#call(request, headers, gone, notified));
    const response = (await this.#call(request, headers, gone)) ?? cancelledResponse(request);
    if (isToolCall(request)) answerInstead(() => withoutResult(response));
    return jsonAnswer(response);
  }

  /** The response; undefined if the request was cancelled, which gets none. */
  async #call(
    request: JSONRPCRequest,
    headers: MessageHeaders,
    gone: AbortSignal,
    notified?: NotificationSink,
  ): Promise<JSONRPCMessage | undefined> {
    // What has not begun when its client leaves does not begin: nothing would read its result.
    if (gone.aborted) return undefined;
    using call = this.#calls.begin(headers, request.id);
    const { cancelled } = call;
    const direct = directRequest(request, headers);
    const terms = { gone, cancelled, notified };
    const response = await (direct ? serveDirectly(this.#hub, direct, terms) : serveRequest(this.#hub, request, terms));
    return cancelled.aborted ? undefined : response;
  }

  /** Notifications other than a cancellation, and responses, have no effect without a session. */
  #receive(message: unknown, headers: MessageHeaders): void {
    if (memberOf(message, 'method') !== 'notifications/cancelled') return;
    this.#calls.cancel(headers, memberOf(memberOf(message, 'params'), 'requestId'));
  }

  async #serveBatch(
    batch: readonly unknown[],
    version: string | undefined,
    headers: MessageHeaders,
    gone: AbortSignal,
  ): Promise<HubAnswer> {
    if (version !== undefined && version !== BATCH_VERSION) {
      const reason = `Batches are part of ${BATCH_VERSION} only: send one message in a request`;
      return jsonAnswer(rpcFailure(null, RPC.invalidRequest, reason), 400);
    }
    for (const message of batch) this.#receive(message, headers);
    const serve = async (message: JSONRPCRequest): Promise<JSONRPCMessage> =>
      (await this.#call(message, headers, gone)) ?? cancelledResponse(message);
    const responses = await serveBatch(batch, serve, gone);
    if (responses === undefined) return ACCEPTED;
    if (batch.some(isToolCall)) answerInstead(() => responses.map(withoutResult));
    return jsonAnswer(responses);
  }
}

function isToolCall(message: unknown): boolean {
  return memberOf(message, 'method') === 'tools/call';
}

/** What a request over plain HTTP gets if it was cancelled, since something has to be answered. */
function cancelledResponse({ id }: JSONRPCRequest): JSONRPCMessage {
  return rpcFailure(id, RPC.cancelled, 'the request was cancelled') as JSONRPCMessage;
}

function header<K extends string>(headers: MessageHeaders, name: string, key: K): Partial<Record<K, string>> {
  const value = headerOf(headers, name);
  return (value === undefined ? {} : { [key]: value }) as Partial<Record<K, string>>;
}

function wantsProgress({ params }: { readonly params?: unknown }): boolean {
  return memberOf(memberOf(params, '_meta'), 'progressToken') !== undefined;
}

function acceptsEvents(headers: MessageHeaders): boolean {
  return headerOf(headers, 'accept')?.includes('text/event-stream') ?? false;
}
