import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { TestApp } from '../../app.fixture.ts';
import type { Config } from '../../config.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects
type Answer = Omit<Response, 'json'> & { json(): Promise<any> };

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
  readonly error: string | undefined;
}

/** The events of an answer of `exec`, in their order. */
export function eventsOf(text: string): { event: string; data: string }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      return { event, data };
    });
}

/** A daemon with a port, as a client of the bridge sees it. */
export class BridgeClient implements AsyncDisposable {
  readonly app: TestApp;
  readonly url: string;

  private constructor(app: TestApp, url: string) {
    this.app = app;
    this.url = url;
  }

  static async start(overrides: Partial<Config> = {}, directory?: string): Promise<BridgeClient> {
    const app = await TestApp.start(overrides, directory);
    return new BridgeClient(app, `${await app.listen()}/compat/cloudflare`);
  }

  get port(): number {
    return (this.app.app.server.address() as AddressInfo).port;
  }

  /** @param body JSON, unless it is text or bytes */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const payload = isRaw ? (body as string) : JSON.stringify(body);
    return await fetch(`${this.url}${path}`, { method, headers, ...(body !== undefined && { body: payload }) });
  }

  /** Status and code of a refusal, whose body has an error text. */
  async refused(...given: Parameters<BridgeClient['call']>): Promise<[number, string, string]> {
    const answer = await this.call(...given);
    const { code, error } = await answer.json();
    return [answer.status, code, error];
  }

  async create(): Promise<string> {
    const { id } = await (await this.call('POST', '/v1/sandbox')).json();
    return `/v1/sandbox/${id}`;
  }

  async exec(sandbox: string, argv: readonly string[], more: object = {}, session?: string): Promise<Ran> {
    const headers = session === undefined ? {} : { 'session-id': session };
    const answer = await this.call('POST', `${sandbox}/exec`, { argv, ...more }, headers);
    const events = eventsOf(await answer.text());
    const bytes = (name: string): string =>
      Buffer.concat(
        events.filter(({ event }) => event === name).map(({ data }) => Buffer.from(data, 'base64')),
      ).toString();
    const last = events.at(-1);
    const end = last && JSON.parse(last.data);
    return { stdout: bytes('stdout'), stderr: bytes('stderr'), exitCode: end?.exit_code, error: end?.error };
  }

  /** @param path of the WebSocket, from the sandbox on */
  async pty(path: string): Promise<Pty> {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}${path}`);
    const pty = new Pty(socket);
    await once(socket, 'open');
    return pty;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.app[Symbol.asyncDispose]();
  }
}

/** A terminal of the bridge. */
export class Pty {
  readonly socket: WebSocket;
  readonly messages: Record<string, unknown>[] = [];
  output = '';
  readonly #waiting = new Set<() => void>();

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.output += String(data);
      else this.messages.push(JSON.parse(String(data)));
      for (const look of this.#waiting) look();
    });
  }

  async until(isThere: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (isThere()) resolve();
    };
    this.#waiting.add(look);
    look();
    await promise;
    this.#waiting.delete(look);
  }

  type(text: string): void {
    this.socket.send(Buffer.from(text));
  }

  async close(): Promise<void> {
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
  }
}
