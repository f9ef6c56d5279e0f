import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Transport,
} from '@modelcontextprotocol/server';
import { onAbort } from '@sandbox/api/wait.ts';
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

export interface Terms {
  /** Fires when the client has left: it is passed to the call, and no response is needed. */
  readonly gone: AbortSignal;
  /** Fires when the client has cancelled the call. */
  readonly cancelled: AbortSignal;
  readonly notified?: NotificationSink | undefined;
}

/** The response to one request; of one that its client has left or cancelled, an error. */
export async function serveRequest(hub: Hub, request: JSONRPCRequest, terms: Terms): Promise<JSONRPCMessage> {
  const { gone, cancelled, notified = () => undefined } = terms;
  const exchange = new Exchange(notified);
  const server = hubServer(hub, cancelled);
  await server.connect(exchange);
  const leave = (): void => void server.close();
  const left = AbortSignal.any([gone, cancelled]);
  using _leaving = onAbort(left, leave);
  try {
    if (!left.aborted) exchange.onmessage?.(request);
    return await exchange.response;
  } catch {
    return rpcFailure(request.id, RPC.internal, 'the client has left') as JSONRPCMessage;
  } finally {
    await server.close();
  }
}
