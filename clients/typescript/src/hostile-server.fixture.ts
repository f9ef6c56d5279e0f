import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** What a server that is broken, or none of a sandbox, does with each request. */
export const FAULTS: Readonly<Record<string, Answer>> = {
  'never answers': () => undefined,
  'closes at the request': (response) => response.destroy(),
  'closes in the head': (response) => response.socket?.end('HTTP/1.1 200 OK\r\nContent-'),
  'closes in the body': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
    response.write('{"success":true,"data":{', () => response.destroy());
  },
  'stops in the body': (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-length': 1000 });
    response.write('{"type":"heart');
  },
  'is no HTTP': (response) => response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'),
  'answers a page': (response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>Hello'),
  'answers bytes': (response) => ndjson(response).end(Buffer.from([0, 255, 10, 27, 91, 50, 74, 10])),
  'answers nothing': (response) => response.end(),
  'answers 204': (response) => response.writeHead(204).end(),
  ...Object.fromEntries(
    [
      'null',
      '[]',
      '{}',
      '"text"',
      '7',
      '{"data":null}',
      '{"data":[]}',
      '{"data":{}}',
      '{"data":"text"}',
      '{"data":1e400}',
    ].map((text): [string, Answer] => [`answers ${text}`, (response) => json(response, text)]),
  ),
  ...Object.fromEntries(
    [
      '{"type":5}',
      '{"type":"exit"}',
      '{"type":"stdout","offset":"0"}',
      '{"type":"stdout","offset":0,"data_base64":"%%"}',
      '{"type":"dropped","stream":7,"first_offset":0}',
      '{"type":"__proto__"}',
      '{"type":"output","offset":0,"output":null}',
      '{"type":"result"}',
    ].map((line): [string, Answer] => [`streams ${line}`, (response) => ndjson(response).end(`${line}\n`)]),
  ),
  'streams 100,000 unknown lines': (response) => ndjson(response).end('{"type":"later"}\n'.repeat(100_000)),
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 418, 429, 500, 502, 503].map((status): [string, Answer] => [
      `answers ${status}`,
      (response) => response.writeHead(status).end('\u001b[2J<p>no'),
    ]),
  ),
  'answers 503 with Retry-After': (response) => response.writeHead(503, { 'retry-after': '1000000000' }).end(),
  'redirects to itself': (response, { url = '' }) => response.writeHead(307, { location: url }).end(),
};

function json(response: ServerResponse, text: string): void {
  response.setHeader('content-type', 'application/json').end(text);
}

function ndjson(response: ServerResponse): ServerResponse {
  return response.setHeader('content-type', 'application/x-ndjson');
}

/** Does with each request what its fault says, except with those that have a good answer. */
export class HostileServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  answer: Answer = () => undefined;
  /** Values of `data` by method and path, for requests with the header `x-good`. */
  good: Readonly<Record<string, unknown>> = {};

  private constructor() {
    this.#server = createServer((request, response) => {
      // A body that is not read would be a second fault.
      request.resume();
      request.on('error', () => undefined);
      response.on('error', () => undefined);
      const data = request.headers['x-good'] && this.good[`${request.method} ${request.url?.split('?')[0]}`];
      if (data === undefined) this.answer(response, request);
      else json(response, JSON.stringify({ success: true, data }));
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  static async start(): Promise<HostileServer> {
    const server = new HostileServer();
    await once(server.#server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}
