import { once } from 'node:events';
import { WebSocket } from 'ws';
import { HttpClient, requireOk } from './http-client.ts';
import type { Service } from './services.ts';

/** The protocol of a terminal server that does not exchange plain bytes. */
export interface Codec {
  readonly protocols: readonly string[];
  /** The client's first message. */
  readonly hello: string;
  readonly wrap: (text: string) => Buffer;
  readonly unwrap: (bytes: Buffer) => Buffer;
}

/** A client of a terminal server. */
export class Terminal implements Disposable {
  /** Bytes received. */
  received = 0;
  /** Resolves when the screen has been painted. */
  readonly painted: Promise<void>;
  readonly #socket: WebSocket;
  readonly #codec: Codec | undefined;
  #tail = '';
  #wake: () => void = () => {};

  private constructor(url: string, codec: Codec | undefined) {
    this.#codec = codec;
    this.#socket = new WebSocket(url, [...(codec?.protocols ?? [])], { perMessageDeflate: false });
    this.#socket.binaryType = 'nodebuffer';
    const { promise, resolve } = Promise.withResolvers<void>();
    this.painted = promise;
    this.#socket.on('message', (message: Buffer, isBinary) => {
      const data = codec?.unwrap(message) ?? message;
      if (!isBinary) {
        if (data.toString('latin1', 0, 40).includes('restore_output')) resolve();
        return;
      }
      this.received += data.length;
      this.#tail = this.#tail.slice(-64) + data.toString('latin1', Math.max(0, data.length - 64));
      this.#wake();
    });
    this.#socket.on('close', () => this.#wake());
  }

  static async open(url: string, codec?: Codec): Promise<Terminal> {
    const terminal = new Terminal(url, codec);
    await once(terminal.#socket, 'open');
    if (codec !== undefined) terminal.#socket.send(Buffer.from(codec.hello));
    return terminal;
  }

  type(text: string): void {
    this.#socket.send(this.#codec?.wrap(text) ?? Buffer.from(text));
  }

  /** Waits for that many bytes in total. */
  async until(bytes: number): Promise<void> {
    while (this.received < bytes) await this.#next();
  }

  /** Waits until the received bytes end with this text. */
  async endsWith(text: string): Promise<void> {
    while (!this.#tail.endsWith(text)) await this.#next();
  }

  /** Stops reading. */
  stall(): void {
    this.#socket.pause();
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  async #next(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED)
      throw new Error(`the terminal ended after ${this.received} bytes`);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Opens terminals that run one program. */
export type OpenTerminal = (argv: readonly [string, ...string[]]) => Promise<Terminal>;

/** A session of our own service. */
export function ourTerminals(service: Service): OpenTerminal & { readonly client: HttpClient } {
  const client = new HttpClient(service.port);
  const open = async ([command, ...args]: readonly [string, ...string[]]): Promise<Terminal> => {
    const body = { command, args, env: { PS1: '$ ' } };
    const { session_id: id } = JSON.parse(requireOk(await client.post('/v2/pty/sessions', body))).data;
    return Terminal.open(sessionUrl(service, id));
  };
  return Object.assign(open, { client });
}

export function sessionUrl({ port }: Service, id: string, query = ''): string {
  return `ws://127.0.0.1:${port}/v2/pty/sessions/${id}/ws?protocol=binary${query}`;
}

/** `e2e/bench/peers/terminals.mjs`. */
export function peerTerminals({ port }: Service): OpenTerminal {
  return (argv) => Terminal.open(`ws://127.0.0.1:${port}/?argv=${encodeURIComponent(JSON.stringify(argv))}`);
}
