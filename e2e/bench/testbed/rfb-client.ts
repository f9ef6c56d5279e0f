/** A two-way stream of bytes: a socket, or a WebSocket that carries RFB. */
export interface RfbTransport {
  send(bytes: Buffer): void;
  onBytes(listener: (bytes: Buffer) => void): void;
  close(): void;
}

/** The requested area, in pixels of four bytes. */
const [WIDTH, HEIGHT] = [1280, 800];
const NO_SECURITY = 1;
const SHARED = 1;
const RAW_ENCODING = 0;
const INCREMENTAL = 1;

/** A viewer that repeatedly requests the changes of the display in raw encoding (RFC 6143 §7). */
export class RfbClient {
  readonly #transport: RfbTransport;
  #pending = Buffer.alloc(0);
  #skip = 0;
  #wake: () => void = () => {};

  private constructor(transport: RfbTransport) {
    this.#transport = transport;
    transport.onBytes((bytes) => {
      const skipped = Math.min(this.#skip, bytes.length);
      this.#skip -= skipped;
      const rest = bytes.subarray(skipped);
      if (rest.length > 0) this.#pending = Buffer.concat([this.#pending, rest]);
      if (this.#skip === 0) this.#wake();
    });
  }

  static async greet(transport: RfbTransport): Promise<RfbClient> {
    const client = new RfbClient(transport);
    transport.send(await client.#take(12));
    const [types = 0] = await client.#take(1);
    await client.#take(types);
    transport.send(Buffer.from([NO_SECURITY]));
    await client.#take(4);
    transport.send(Buffer.from([SHARED]));
    const init = await client.#take(24);
    await client.#take(init.readUInt32BE(20));
    transport.send(Buffer.from([2, 0, 0, 1, 0, 0, 0, RAW_ENCODING]));
    return client;
  }

  /** Waits for the next change. */
  async update(): Promise<void> {
    const request = Buffer.alloc(10);
    request[0] = 3;
    request[1] = INCREMENTAL;
    request.writeUInt16BE(WIDTH, 6);
    request.writeUInt16BE(HEIGHT, 8);
    this.#transport.send(request);
    const header = await this.#take(4);
    for (let left = header.readUInt16BE(2); left > 0; left -= 1) {
      const rectangle = await this.#take(12);
      await this.#discard(rectangle.readUInt16BE(4) * rectangle.readUInt16BE(6) * 4);
    }
  }

  close(): void {
    this.#transport.close();
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#pending.length < length) await this.#more();
    const taken = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    return taken;
  }

  async #discard(length: number): Promise<void> {
    const here = Math.min(length, this.#pending.length);
    this.#pending = this.#pending.subarray(here);
    this.#skip = length - here;
    while (this.#skip > 0) await this.#more();
  }

  async #more(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
