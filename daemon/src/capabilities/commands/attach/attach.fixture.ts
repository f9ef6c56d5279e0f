import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

/** A frame as the documents describe it. */
export function frame(stream: number, offset: number | bigint, data: Uint8Array | string = ''): Buffer {
  const header = Buffer.alloc(9);
  header[0] = stream;
  header.writeBigUInt64BE(BigInt(offset), 1);
  return Buffer.concat([header, Buffer.from(data)]);
}

/** One stream of output: the bytes that arrived, each once and in order. */
export class ReceivedStream {
  readonly #pieces: Buffer[] = [];
  /** The offset of the next byte. */
  at: number;

  constructor(at: number) {
    this.at = at;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  get text(): string {
    return this.bytes.toString('latin1');
  }

  take(offset: number, bytes: Buffer): void {
    if (offset !== this.at) throw new Error(`a frame at ${offset} follows byte ${this.at}`);
    this.#pieces.push(bytes);
    this.at += bytes.length;
  }
}

export interface AttachAt {
  readonly write?: boolean;
  readonly stdout?: number;
  readonly stderr?: number;
}

/** A client that is attached to a command. */
export class TestAttachment implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly controls: Json[] = [];
  readonly stdout: ReceivedStream;
  readonly stderr: ReceivedStream;
  /** Status of an answer that is no upgrade. */
  refused: number | undefined;
  /** Close code and reason. */
  readonly closed: Promise<readonly [code: number, reason: string]>;
  #fault: unknown;
  #wake: () => void = () => {};

  constructor(base: string, id: string, at: AttachAt = {}, options: ConstructorParameters<typeof WebSocket>[2] = {}) {
    const query = new URLSearchParams(
      Object.entries(at).map(([name, value]): [string, string] => [name, String(value)]),
    );
    this.socket = new WebSocket(`${base.replace('http', 'ws')}/v2/commands/${id}/attach?${query}`, options);
    this.stdout = new ReceivedStream(at.stdout ?? 0);
    this.stderr = new ReceivedStream(at.stderr ?? 0);
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        resolve([code, reason.toString()]);
        this.#wake();
      });
    });
    this.socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      this.socket.terminate();
    });
    this.socket.on('error', () => {});
    this.socket.on('message', (data: Buffer) => this.#receive(data));
  }

  /** Sends stdin from an offset on, in frames of at most 1 MiB. */
  write(offset: number, data: Uint8Array | string): void {
    const bytes = Buffer.from(data);
    const most = 1024 * 1024 - 9;
    for (let at = 0; at < bytes.length; at += most) {
      this.socket.send(frame(0, offset + at, bytes.subarray(at, at + most)));
    }
  }

  control(message: object): void {
    this.socket.send(frame(3, 0, JSON.stringify(message)));
  }

  /** Waits for a control message that has these fields. */
  async message(type: string, fields: object = {}): Promise<Json> {
    const find = (): Json =>
      this.controls.find(
        (control) => control.type === type && Object.entries(fields).every(([name, value]) => control[name] === value),
      );
    await this.until(() => find() !== undefined);
    return find();
  }

  async until(met: () => boolean): Promise<void> {
    while (!met()) {
      if (this.#fault !== undefined) throw this.#fault;
      if (this.socket.readyState === WebSocket.CLOSED) {
        throw new Error(`closed with ${(await this.closed).join(' ')} before, after ${JSON.stringify(this.controls)}`);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }

  #receive(data: Buffer): void {
    try {
      const offset = Number(data.readBigUInt64BE(1));
      const rest = data.subarray(9);
      if (data[0] === 1) this.stdout.take(offset, rest);
      else if (data[0] === 2) this.stderr.take(offset, rest);
      else if (data[0] === 3) this.#control(JSON.parse(rest.toString()));
      else throw new Error(`a frame of stream ${data[0]}`);
    } catch (error) {
      this.#fault = error;
    }
    this.#wake();
  }

  #control(message: Json): void {
    this.controls.push(message);
    if (message.type === 'gap') this[message.stream as 'stdout' | 'stderr'].at = message.first_offset;
  }
}
