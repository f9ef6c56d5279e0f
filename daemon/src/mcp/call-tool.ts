import {
  type CallToolResult,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { ToolProgress } from '../core/tools/tool.ts';
import type { Hub } from './hub.ts';

export interface ToolCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  /** The client's name for the call in reports of its progress; undefined if it wants none. */
  readonly token: string | number | undefined;
}

export interface CallTerms {
  /** Fires when the client has left or cancelled the call. */
  readonly gone: AbortSignal;
  /** Fires when the client has said that it cancels the call. */
  readonly cancelled: AbortSignal | undefined;
  readonly notify: (message: JSONRPCMessage) => void;
}

/** @throws ProtocolError `InvalidParams` if the tool does not exist */
export async function callTool(
  hub: Hub,
  { name, args, token }: ToolCall,
  { gone, cancelled, notify }: CallTerms,
): Promise<CallToolResult> {
  let step = 0;
  const progress = (message: string | undefined, at?: ToolProgress): void => {
    step += 1;
    const params = { progressToken: token, progress: step, ...at, ...(message !== undefined && { message }) };
    notify({ jsonrpc: '2.0', method: 'notifications/progress', params });
  };
  const context = { gone, ...(cancelled && { cancelled }), ...(token !== undefined && { progress }) };
  const result = await hub.call(name, args, context);
  if (result !== undefined) return result;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 200)}`);
}
