import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exactText, hasLoneSurrogate } from '@sandbox/program/exact-text.ts';
import {
  errorMessage,
  INVALID_REQUEST,
  isMessage,
  isRequest,
  type Message,
  PARSE_ERROR,
  type Request,
} from './json-rpc.ts';
import { readBody, TooLarge } from './read-body.ts';

const PATH = '/mcp';
/** The contract's bound of an MCP body, in bytes. */
const BODY_MAX = 8 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 128;
/** Versions of the protocol whose messages this server understands. */
const PROTOCOL_VERSIONS: ReadonlySet<string> = new Set([
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
]);
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, message: string, code = INVALID_REQUEST) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface ServerTerms {
  readonly ask: (request: Request) => Promise<object>;
  readonly onRequest: () => void;
  /** Called with a failure that is no refusal. */
  readonly onError: (error: unknown) => void;
}

/** Streamable HTTP of the Model Context Protocol without sessions: every answer is one JSON document. */
export class McpHttpServer implements AsyncDisposable {
  readonly #terms: ServerTerms;
  readonly #server: Server;

  constructor(terms: ServerTerms) {
    this.#terms = terms;
    this.#server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        this.#terms.onError(error);
        response.destroy();
      });
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /** Listens on loopback, or on a socket that listens already. */
  listen(where: { readonly port: number } | { readonly fd: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen('fd' in where ? where : { ...where, host: '127.0.0.1' }, () =>
        resolve((this.#server.address() as AddressInfo).port),
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#terms.onRequest();
    try {
      checkSender(request);
      const message = await messageOf(request);
      if (isRequest(message)) send(response, 200, await this.#terms.ask(message));
      else response.writeHead(202).end();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const allow = error.status === 405 ? { Allow: 'POST' } : {};
      // The rest of a body that is not read would be taken for the next request.
      const close = request.complete ? {} : { Connection: 'close' };
      send(response, error.status, errorMessage(null, error.code, error.message), { ...allow, ...close });
    }
  }
}

/**
 * A page of any site can reach a loopback address: by a name of its own that points here, which the Host shows, or by
 * a request with its Origin. No page is served here, so no page has a reason to call.
 */
function checkSender({ headers, method, url = '' }: IncomingMessage): void {
  if (!LOCAL_HOST.test(headers.host ?? '')) throw new Refusal(403, 'Host: expected a loopback address');
  if (headers.origin !== undefined) throw new Refusal(403, 'Origin: pages may not use this server');
  if (url.split('?', 1)[0] !== PATH) throw new Refusal(404, `no such path: the server is at ${PATH}`);
  if (method !== 'POST') throw new Refusal(405, 'the server keeps no sessions and no streams: POST only');
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refusal(415, 'Content-Type: expected application/json');
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && !PROTOCOL_VERSIONS.has(String(version)))
    throw new Refusal(400, `MCP-Protocol-Version: expected one of ${[...PROTOCOL_VERSIONS].join(', ')}`);
}

async function messageOf(request: IncomingMessage): Promise<Message> {
  let body: Buffer;
  try {
    body = await readBody(request, BODY_MAX);
  } catch (error) {
    if (error instanceof TooLarge) throw new Refusal(413, `the body is longer than ${BODY_MAX} bytes`);
    throw error;
  }
  const text = exactText(body);
  if (text === undefined) throw new Refusal(400, 'the body is not UTF-8', PARSE_ERROR);
  return parseMessage(text);
}

function parseMessage(text: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'the body is not JSON', PARSE_ERROR);
  }
  if (hasLoneSurrogate(text, value)) throw new Refusal(400, 'the body has half of a surrogate pair');
  if (isMessage(value)) return value;
  throw new Refusal(400, 'the body is not one message of JSON-RPC 2.0');
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const own = { 'Content-Type': 'application/json', 'Content-Length': bytes.length, 'Cache-Control': 'no-store' };
  response.writeHead(status, { ...own, ...headers }).end(bytes);
}
