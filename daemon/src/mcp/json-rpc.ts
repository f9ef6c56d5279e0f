import type { ReadableStream } from 'node:stream/web';
import { jsonText } from '@sandbox/program/json-text.ts';

/** An error object of JSON-RPC 2.0 §5.1 as a response. */
export interface RpcFailure {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Codes of JSON-RPC 2.0 §5.1, and one of a server's own for what its caller cancelled. */
export const RPC = {
  ...{ parse: -32700, invalidRequest: -32600, invalidParams: -32602, internal: -32603 },
  cancelled: -32000,
} as const;

export function rpcFailure(id: unknown, code: number, message: string, data?: unknown): RpcFailure {
  return { jsonrpc: '2.0', id: rpcIdOf(id), error: { code, message, ...(data !== undefined && { data }) } };
}

/** The id of a message; null if it has none that a response may carry. */
function rpcIdOf(id: unknown): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The member of an unknown value; undefined if it is not an object. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** An HTTP answer; a `Response` around each JSON text would cost more than most calls. */
export interface HubAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | undefined;
}

export const ACCEPTED: HubAnswer = { status: 202, headers: {}, body: undefined };

export function jsonAnswer(body: unknown, status = 200): HubAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: jsonText(body) };
}

export function answerOf({ status, headers, body }: Response): HubAnswer {
  return { status, headers: Object.fromEntries(headers), body: body ?? undefined };
}
