import { type Answer, textLines, textOfAnswer } from '../core/body.ts';
import { RequestFailed } from '../core/errors.ts';
import { randomId } from '../core/random-id.ts';
import { jsonOf, notOfSandbox } from '../core/shape.ts';
import type { Call, Transport } from '../core/transport.ts';

/** The key of `_meta` in which requests of MCP 2026-07-28 name their revision. */
const REVISION = 'io.modelcontextprotocol/protocolVersion';
/** Progress of a call whose client wants none. */
const OWN_TOKEN = 'sandbox-bridge';
/** Characters of the data of an event. */
const LONGEST = 64 * 1024 * 1024;

/** In place of the id of a request: several messages, whose responses are an array (MCP 2025-03-26). */
const BATCH = Symbol('batch');

type Fields = Readonly<Record<string, unknown>>;

/** Passes messages of MCP to the sandbox, one request of HTTP for each. */
export class McpBridge {
  readonly #transport: Transport;
  /** Other clients use the same ids: with it, a cancellation means the call of this one. */
  readonly #session = randomId();
  #revision: string | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a message and yields those of its answer: notifications, and the response at last. After 90 s without a byte
   * of the answer the connection counts as lost. A call of a tool is sent again only if it was not sent.
   * @throws SandboxError, the reason of the signal
   */
  async *exchange(message: unknown, signal?: AbortSignal): AsyncGenerator<unknown> {
    const { id, method } = fieldsOf(message);
    const call: Call = {
      method: 'POST',
      json: withToken(message),
      headers: { accept: 'application/json, text/event-stream', ...this.#headers(message) },
      repeatable: typeof method === 'string' && method !== 'tools/call',
      signal,
    };
    const expected = Array.isArray(message) ? BATCH : typeof method === 'string' ? id : undefined;
    for await (const answered of this.#answers(call, expected)) {
      if (method === 'initialize') this.#revision = revisionOf(fieldsOf(answered)['result']);
      if (fieldsOf(fieldsOf(answered)['params'])['progressToken'] !== OWN_TOKEN) yield answered;
    }
  }

  async *#answers(call: Call, id: unknown): AsyncGenerator<unknown> {
    const attempts = this.#transport.attempts(call);
    for (;;) {
      try {
        using answer = await this.#transport.open('/mcp', call);
        return yield* untilResponse(answer, id);
      } catch (error) {
        if (isRpcError(error))
          return yield { jsonrpc: '2.0', id: id === BATCH ? null : (id ?? null), error: error.data };
        await this.#transport.again(error, call, attempts);
      }
    }
  }

  /** Those that the transport of MCP over HTTP wants (2025-11-25, basic/transports; 2026-07-28 likewise). */
  #headers(message: unknown): Record<string, string> {
    const { method, params } = fieldsOf(message);
    const { _meta: meta, name, uri, taskId } = fieldsOf(params);
    const own = revisionOf({ protocolVersion: fieldsOf(meta)[REVISION] });
    const revision = own ?? (method === 'initialize' ? undefined : this.#revision);
    const subject = textOf(name ?? uri ?? taskId);
    return {
      'mcp-session-id': this.#session,
      ...(revision !== undefined && { 'mcp-protocol-version': revision }),
      ...(own !== undefined && typeof method === 'string' && { 'mcp-method': headerText(method) }),
      ...(own !== undefined && subject !== undefined && { 'mcp-name': headerText(subject) }),
    };
  }
}

/** The messages of an answer, up to the response if the message is a request. */
async function* untilResponse(answer: Answer, id: unknown): AsyncGenerator<unknown> {
  for await (const message of messagesOf(answer)) {
    if (id === BATCH && Array.isArray(message)) return yield message;
    const isResponse = typeof fieldsOf(message)['method'] !== 'string';
    if (isResponse) requireResponse(message, id);
    yield message;
    if (isResponse) return;
  }
  if (id !== undefined && id !== BATCH) throw notOfSandbox('it ends without a response');
}

/** @throws SandboxError */
function requireResponse(message: unknown, id: unknown): void {
  const { id: of, result, error } = fieldsOf(message);
  if (result === undefined && error === undefined) throw notOfSandbox('it is not a message of MCP');
  if (of !== id && of !== null) throw notOfSandbox('it is the response to another request');
}

async function* messagesOf(answer: Answer): AsyncGenerator<unknown> {
  const type = answer.response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return yield* events(answer);
  const text = await textOfAnswer(answer);
  if (text.trim() !== '') yield jsonOf(text);
}

/** The data of server-sent events (HTML, 9.2.6). */
async function* events(answer: Answer): AsyncGenerator<unknown> {
  let data: string[] = [];
  let length = 0;
  for await (const raw of textLines(answer)) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line.startsWith('data:')) {
      data.push(line.slice(5));
      length += line.length;
      if (length > LONGEST) throw notOfSandbox(`an event has more than ${LONGEST / 1024 ** 2} MiB`);
    }
    if (line !== '' || data.length === 0) continue;
    yield jsonOf(data.join('\n'));
    data = [];
    length = 0;
  }
}

/** A call with progress, which the service answers with a stream that has a heartbeat. */
function withToken(message: unknown): unknown {
  const { method, params } = fieldsOf(message);
  const meta = fieldsOf(fieldsOf(params)['_meta']);
  if (method !== 'tools/call' || !isObject(params) || meta['progressToken'] !== undefined) return message;
  return { ...fieldsOf(message), params: { ...params, _meta: { ...meta, progressToken: OWN_TOKEN } } };
}

/** A date, or nothing that a header could not have. */
function revisionOf(value: unknown): string | undefined {
  const { protocolVersion } = fieldsOf(value);
  return typeof protocolVersion === 'string' && /^[\w.-]+$/.test(protocolVersion) ? protocolVersion : undefined;
}

/** An error of JSON-RPC with an error status. */
function isRpcError(error: unknown): error is RequestFailed {
  if (!(error instanceof RequestFailed)) return false;
  const { code, message } = fieldsOf(error.data);
  return typeof code === 'number' && typeof message === 'string';
}

/** A value of a header, in the form of MCP for text that a header cannot have. */
function headerText(text: string): string {
  if (/^[ -~]+$/.test(text) && text.trim() === text && !text.startsWith('=?')) return text;
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
