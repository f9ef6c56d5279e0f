import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolError,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { onAbort } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { callTool, type ToolCall } from './call-tool.ts';
import type { Terms } from './exchange.ts';
import type { Hub } from './hub.ts';
import { memberOf, RPC, rpcFailure } from './json-rpc.ts';
import { headerOf, type MessageHeaders } from './message-headers.ts';

/** A request that is served without the SDK, whose `Server` for one exchange takes longer than most calls. */
export interface DirectRequest {
  readonly message: JSONRPCRequest;
  /** Undefined: `tools/list`. */
  readonly call: ToolCall | undefined;
}

/**
 * The plain requests of the revisions before 2026-07-28 that make nearly all of the traffic. What is unusual in any way
 * is undefined, and left to the SDK.
 */
export function directRequest(message: unknown, headers: MessageHeaders): DirectRequest | undefined {
  const version = headerOf(headers, 'mcp-protocol-version');
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  if (headerOf(headers, 'mcp-method') !== undefined || memberOf(message, 'jsonrpc') !== '2.0' || hasResponse(message))
    return undefined;
  const [id, method, params] = [memberOf(message, 'id'), memberOf(message, 'method'), memberOf(message, 'params')];
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  const meta = memberOf(params, '_meta');
  const token = memberOf(meta, 'progressToken');
  if (!isPlain(params) || !isPlain(meta) || !isToken(token)) return undefined;
  // Requests of 2026-07-28 name their revision there.
  if (meta !== undefined && Object.keys(meta).some((key) => key.includes('/'))) return undefined;
  const request = message as JSONRPCRequest;
  if (method === 'tools/list') return { message: request, call: undefined };
  const [name, args] = [memberOf(params, 'name'), memberOf(params, 'arguments')];
  if (method !== 'tools/call' || typeof name !== 'string' || !isPlain(args)) return undefined;
  return { message: request, call: { name, args: { ...args }, token } };
}

/** The response; of a request that its client has left or cancelled, an error. */
export async function serveDirectly(
  hub: Hub,
  { message: { id }, call }: DirectRequest,
  { gone, cancelled, notified = ignore }: Terms,
): Promise<JSONRPCMessage> {
  const { promise: left, resolve: leave } = Promise.withResolvers<JSONRPCMessage>();
  const leaving = new AbortController();
  const abort = (): void => {
    leaving.abort();
    leave(failure(id, RPC.internal, 'the client has left'));
  };
  using _gone = onAbort(gone, abort);
  using _cancelled = onAbort(cancelled, abort);
  const terms = { gone: leaving.signal, cancelled, notify: notified };
  const serve = async (): Promise<JSONRPCMessage> => {
    const result = call === undefined ? { tools: await hub.list() } : await callTool(hub, call, terms);
    return { jsonrpc: '2.0', id, result };
  };
  const served = serve().catch((error: unknown) => {
    if (!(error instanceof ProtocolError)) return failure(id, RPC.internal, 'internal error');
    return failure(id, error.code, error.message, error.data);
  });
  return await Promise.race([served, left]);
}

function failure(...[id, code, message, data]: Parameters<typeof rpcFailure>): JSONRPCMessage {
  return rpcFailure(id, code, message, data) as JSONRPCMessage;
}

function hasResponse(message: unknown): boolean {
  return memberOf(message, 'result') !== undefined || memberOf(message, 'error') !== undefined;
}

function isPlain(value: unknown): value is Record<string, unknown> | undefined {
  return value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

function isToken(value: unknown): value is ToolCall['token'] {
  return value === undefined || typeof value === 'string' || Number.isSafeInteger(value);
}
