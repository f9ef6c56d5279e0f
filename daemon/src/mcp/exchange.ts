import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Hub } from './hub.ts';
import { hubServer } from './hub-server.ts';
import { RPC, rpcFailure } from './json-rpc.ts';

/** Told of each notification that belongs to the request, before its response. */
export type NotificationSink = (message: JSONRPCMessage) => void;

/** The transport of one request of the protocol revisions before 2026-07-28, which need no session to be served. */
class Exchange implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #response = Promise.withResolvers<JSONRPCMessage>();
  readonly #notified: NotificationSink;

  constructor(notified: NotificationSink) {
    this.#notified = notified;
    // The response may be given up before it is awaited.
    this.#response.promise.catch(() => undefined);
  }

  get response(): Promise<JSONRPCMessage> {
    return this.#response.promise;
  }

  async start(): Promise<void> {
    // It receives its one message from `serveRequest`.
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.#response.resolve(message);
    else this.#notified(message);
  }

  async close(): Promise<void> {
    this.#response.reject(new Error('the exchange was closed'));
    this.onclose?.();
  }
}

/**
 * The response to one request.
 * @param gone fires when the client has left: the call is told, and the response does not matter any more
 */
export async function serveRequest(
  hub: Hub,
  request: JSONRPCRequest,
  gone: AbortSignal,
  notified: NotificationSink = () => undefined,
): Promise<JSONRPCMessage> {
  const exchange = new Exchange(notified);
  const server = hubServer(hub);
  await server.connect(exchange);
  const leave = (): void => void server.close();
  gone.addEventListener('abort', leave, { once: true });
  try {
    if (gone.aborted) leave();
    else exchange.onmessage?.(request);
    return await exchange.response;
  } catch {
    return rpcFailure(request.id, RPC.internal, 'the client has left') as JSONRPCMessage;
  } finally {
    gone.removeEventListener('abort', leave);
    await server.close();
  }
}
