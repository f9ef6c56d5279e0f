import { expect } from 'vitest';
import WebSocket from 'ws';

/** A client of `GET /v2/ports/{port}/connect`. */
export class PortClient implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly texts: string[] = [];
  /** Status of an answer that is no upgrade. */
  refused: number | undefined;
  readonly #chunks: Buffer[] = [];
  /** Bytes that have come. */
  count = 0;
  code: number | undefined;

  constructor(base: string, port: number | string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`${base.replace('http', 'ws')}/v2/ports/${port}/connect`, { headers });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) this.texts.push(data.toString());
      else this.count += this.#chunks[this.#chunks.push(data) - 1]?.length ?? 0;
    });
    this.socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      response.resume();
    });
    this.socket.on('close', (code) => {
      this.code = code;
    });
    this.socket.on('error', () => undefined);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** The status of the handshake. */
  async status(): Promise<number> {
    await expect.poll(() => this.refused ?? this.socket.readyState).not.toBe(WebSocket.CONNECTING);
    return this.refused ?? 101;
  }

  async closed(): Promise<number | undefined> {
    await expect.poll(() => this.code).toBeDefined();
    return this.code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
  }
}
