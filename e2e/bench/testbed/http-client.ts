import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A caller on this machine with kept connections, one per concurrent request. */
export class HttpClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #port: number;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(port: number, headers: Readonly<Record<string, string>> = {}) {
    this.#port = port;
    this.#headers = headers;
  }

  async get(path: string): Promise<Answer> {
    return this.#send('GET', path, undefined);
  }

  async post(path: string, body: unknown): Promise<Answer> {
    return this.#send('POST', path, Buffer.from(JSON.stringify(body)));
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #send(method: string, path: string, body: Buffer | undefined): Promise<Answer> {
    const headers = {
      ...this.#headers,
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const sent = request({ host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent }).end(body);
    const [answer] = await once(sent, 'response');
    return { status: answer.statusCode, text: await text(answer) };
  }
}

/** @throws Error for a status other than 200, so that no refusal counts as a fast answer */
export function requireOk({ status, text: body }: Answer): string {
  if (status === 200) return body;
  throw new Error(`answered ${status}: ${body.slice(0, 200)}`);
}
