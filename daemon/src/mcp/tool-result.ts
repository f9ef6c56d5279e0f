import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/server';
import { snakeCase } from '@sandbox/api/fields/snake-case.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { jsonText } from '@sandbox/program/json-text.ts';
import { z } from 'zod';
import { ToolAnswer } from '../core/tools/tool-answer.ts';
import { memberOf, RPC, rpcFailure } from './json-rpc.ts';

/** Characters of text in one result; what is longer is cut, with a note. */
const TEXT_MAX = 8 * 1024 ** 2;

const CROWDED = 'answers that clients have not read take too much memory';
const CROWDED_HINT = 'read each answer to its end; call it again only if that does no harm, and ask for less';

const LOST_HINT = 'list what there is, and take a name from that list';

/** The result of a call that has ended: text, an object, or a `ToolAnswer`. */
export function resultOf(value: unknown): CallToolResult {
  const { text, data, images, isError } = answerOf(value);
  return {
    content: [
      ...(text === '' && images.length > 0 ? [] : [{ type: 'text' as const, text: bounded(text) }]),
      ...images.map((image) => ({
        type: 'image' as const,
        data: image.data.toString('base64'),
        mimeType: image.mimeType,
      })),
    ],
    ...(data !== undefined && text.length <= TEXT_MAX && { structuredContent: { ...data } }),
    ...(isError && { isError }),
  };
}

/**
 * The result of a call that failed. Arguments that the schema rejects and errors of the domain are results that a
 * model can read and correct (MCP 2025-11-25, server/tools, "Error Handling"); undefined: a defect.
 */
export function failureOf(error: unknown, args: unknown): CallToolResult | undefined {
  if (error instanceof z.ZodError)
    return failed(
      error.issues
        .slice(0, 8)
        .map((issue) => wordIssue(issue, args))
        .join('; '),
    );
  if (error instanceof SandboxError) {
    const { hint = error.kind === 'not_found' ? LOST_HINT : undefined } = error.details;
    const message = error.messageNaming(snakeCase);
    return failed(hint === undefined ? message : `${message}\nHint: ${hint}`);
  }
  return undefined;
}

export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text: bounded(text) }], isError: true };
}

/** What answers instead of a response that does not fit into the memory of answers: a tool that was called has run. */
export function withoutResult(response: JSONRPCMessage): JSONRPCMessage {
  const [id, result] = [memberOf(response, 'id'), memberOf(response, 'result')];
  if (!Array.isArray(memberOf(result, 'content'))) return rpcFailure(id, RPC.internal, CROWDED) as JSONRPCMessage;
  const text = `the call has run, and its result is left out, because ${CROWDED}`;
  return { jsonrpc: '2.0', id: id as string | number, result: failed(`${text}\nHint: ${CROWDED_HINT}`) };
}

function answerOf(value: unknown): ToolAnswer {
  if (value instanceof ToolAnswer) return value;
  if (typeof value === 'string') return new ToolAnswer({ text: value });
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return new ToolAnswer({ data: { ...value } });
  return new ToolAnswer({ text: jsonText(value) ?? '' });
}

function wordIssue({ path, message }: z.core.$ZodIssue, args: unknown): string {
  const name = path.join('.');
  const value = path.reduce<unknown>((within, key) => memberOf(within, String(key)), args);
  if (name !== '' && value === undefined) return `${name} is required`;
  return name === '' ? message : `${name}: ${message}`;
}

function bounded(text: string): string {
  if (text.length <= TEXT_MAX) return text;
  return `${text.slice(0, TEXT_MAX)}\n[cut: ${TEXT_MAX} of ${text.length} characters; ask for a smaller part]`;
}
