import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server';
import { memberOf, RPC, rpcFailure } from './json-rpc.ts';

/** Messages of one batch. */
const BATCH_MAX = 1000;
/** Messages of one batch that are worked on at once. */
const AT_ONCE = 8;

/**
 * The responses to a batch, in the order of its requests; undefined if it has only notifications and responses
 * (JSON-RPC 2.0 §6).
 * @param gone fires when the client has left: no further message is begun
 */
export async function serveBatch(
  batch: readonly unknown[],
  serve: (request: JSONRPCRequest) => Promise<JSONRPCMessage>,
  gone: AbortSignal,
): Promise<JSONRPCMessage[] | undefined> {
  if (batch.length === 0) return [invalid(null, 'an empty batch')];
  if (batch.length > BATCH_MAX) return [invalid(null, `a batch has at most ${BATCH_MAX} messages`)];
  const responses: (JSONRPCMessage | undefined)[] = [];
  const waiting = batch.entries();
  const work = async (): Promise<void> => {
    for (const [at, message] of waiting) {
      if (gone.aborted) return;
      responses[at] = await serveOne(message, serve);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const given = responses.filter((response) => response !== undefined);
  return given.length === 0 ? undefined : given;
}

async function serveOne(
  message: unknown,
  serve: (request: JSONRPCRequest) => Promise<JSONRPCMessage>,
): Promise<JSONRPCMessage | undefined> {
  const id = memberOf(message, 'id');
  if (!isJSONRPCRequest(message)) {
    const isRpc = memberOf(message, 'jsonrpc') === '2.0';
    const isAnswerable = !isRpc || (typeof memberOf(message, 'method') !== 'string' && !isResponse(message));
    return isAnswerable ? invalid(id, 'not a JSON-RPC 2.0 message') : undefined;
  }
  if (message.method === 'initialize') return invalid(id, 'initialize must not be part of a batch');
  return await serve(message);
}

function isResponse(message: unknown): boolean {
  return memberOf(message, 'result') !== undefined || memberOf(message, 'error') !== undefined;
}

function invalid(id: unknown, reason: string): JSONRPCMessage {
  return rpcFailure(id, RPC.invalidRequest, `Invalid Request: ${reason}`) as JSONRPCMessage;
}
