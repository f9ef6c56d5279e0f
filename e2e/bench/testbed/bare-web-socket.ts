import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const READ_BYTES = 1024 ** 2;

/** A WebSocket that only counts bytes, so that the client does not limit the measurement. */
export class BareWebSocket implements Disposable {
  readonly #socket: Socket;
  #received = 0;
  #wanted = 0;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** @throws Error if the upgrade is refused */
  static async open(port: number, path: string): Promise<BareWebSocket> {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const head = Promise.withResolvers<void>();
    let text = '';
    let opened = false;
    const callback = (count: number): boolean => {
      if (opened) return ours.#take(count);
      text += buffer.toString('latin1', 0, count);
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return true;
      opened = true;
      if (text.startsWith('HTTP/1.1 101 ')) head.resolve();
      else head.reject(new Error(text));
      return ours.#take(text.length - end - 4);
    };
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback } });
    const ours = new BareWebSocket(socket);
    socket.on('error', head.reject).resume();
    const key = randomBytes(16).toString('base64');
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await head.promise;
    return ours;
  }

  /** Sends one masked binary frame (RFC 6455 §5.2) of fewer than 126 bytes. */
  send(payload: Buffer): void {
    const mask = Buffer.alloc(4);
    this.#socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | payload.length]), mask, payload]));
  }

  /** Waits for this many more bytes, frame headers included. */
  async bytes(count: number): Promise<void> {
    this.#wanted += count;
    while (this.#received < this.#wanted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Stops reading. */
  stall(): void {
    this.#socket.pause();
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await once(this.#socket, 'close');
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(count: number): boolean {
    this.#received += count;
    if (this.#received >= this.#wanted) this.#wake();
    return true;
  }
}
