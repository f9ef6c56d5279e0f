import { pause } from '@sandbox/api/wait.ts';
import { WebSocket } from 'ws';

const HEADER_BYTES = 9;
const MOST_DATA_BYTES = 1024 * 1024 - HEADER_BYTES;
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const CONTROL = 3;
const NORMAL = 1000;

/** A program in the sandbox: its stdin and stdout as one stream of bytes each, however often the connection is lost. */
export class AttachedProgram implements AsyncDisposable {
  readonly id: string;
  /** Close codes of the connections that were open. */
  readonly closeCodes: number[] = [];
  /** Bytes that were written, those of them that were acknowledged, and bytes of stdout. */
  written = 0;
  acknowledged = 0;
  received = 0;
  /** Exit code of the program; rejects if a rule of the protocol was broken. */
  readonly exited: Promise<number | null>;
  readonly #url: string;
  readonly #onBytes: (bytes: Buffer) => void;
  readonly #exit = Promise.withResolvers<number | null>();
  /** Written and not acknowledged. */
  #pending: Buffer = Buffer.alloc(0);
  #stderr = 0;
  #socket: WebSocket | undefined;
  #isReady = false;
  #isOver = false;

  private constructor(url: string, id: string, onBytes: (bytes: Buffer) => void) {
    this.#url = url;
    this.id = id;
    this.#onBytes = onBytes;
    this.exited = this.#exit.promise;
    this.exited.catch(() => {});
    void this.#stayAttached();
  }

  static async start(
    url: string,
    [command, ...args]: readonly string[],
    onBytes: (bytes: Buffer) => void,
  ): Promise<AttachedProgram> {
    const answer = await fetch(`${url}/v2/commands`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ command, args, shell: 'none', mode: 'async' }),
    });
    const { data } = (await answer.json()) as { data: { command_id: string } };
    return new AttachedProgram(url, data.command_id, onBytes);
  }

  write(bytes: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    this.written += bytes.length;
    if (this.#isReady) this.#send(this.written - bytes.length, bytes);
  }

  /** Closes stdin after everything that was written, on the connection that is open now. */
  end(): void {
    this.#socket?.send(frameOf(CONTROL, 0, Buffer.from(JSON.stringify({ type: 'eof', offset: this.written }))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#socket?.terminate();
    await fetch(`${this.#url}/v2/commands/${this.id}/kill`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ signal: 'SIGKILL' }),
    });
  }

  async #stayAttached(): Promise<void> {
    while (!this.#isOver) {
      const code = await this.#attachOnce();
      if (code === NORMAL) return;
      await pause(20);
    }
  }

  /** @returns the close code; undefined if the upgrade was refused */
  #attachOnce(): Promise<number | undefined> {
    const at = `write=true&stdout=${this.received}&stderr=${this.#stderr}`;
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/v2/commands/${this.id}/attach?${at}`);
    this.#socket = socket;
    return new Promise((resolve) => {
      let isOpen = false;
      socket.on('error', () => {});
      socket.on('open', () => {
        isOpen = true;
      });
      socket.on('message', (data: Buffer) => {
        try {
          this.#receive(data);
        } catch (error) {
          this.#isOver = true;
          this.#exit.reject(error);
          socket.terminate();
        }
      });
      socket.on('close', (code) => {
        this.#isReady = false;
        if (isOpen) this.closeCodes.push(code);
        resolve(isOpen ? code : undefined);
      });
    });
  }

  #receive(frame: Buffer): void {
    const offset = Number(frame.readBigUInt64BE(1));
    const data = frame.subarray(HEADER_BYTES);
    switch (frame[0]) {
      case STDOUT:
        if (offset !== this.received) throw new Error(`stdout continues at ${offset}, not ${this.received}`);
        this.received += data.length;
        this.#onBytes(data);
        break;
      case STDERR:
        this.#stderr = offset + data.length;
        process.stderr.write(data);
        break;
      default:
        this.#control(JSON.parse(data.toString()));
    }
  }

  #control(message: { type: string; offset?: number; stdin_offset?: number; exit_code?: number | null }): void {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#acknowledge(message.stdin_offset ?? 0);
        this.#send(this.acknowledged, this.#pending);
        break;
      case 'ack':
        this.#acknowledge(message.offset ?? 0);
        break;
      case 'eof':
        break;
      case 'exit':
        this.#exit.resolve(message.exit_code ?? null);
        break;
      default:
        throw new Error(JSON.stringify(message));
    }
  }

  #acknowledge(offset: number): void {
    if (offset < this.acknowledged || offset > this.written) {
      throw new Error(`${offset} bytes were taken, after ${this.acknowledged} of ${this.written}`);
    }
    this.#pending = this.#pending.subarray(offset - this.acknowledged);
    this.acknowledged = offset;
  }

  #send(offset: number, bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += MOST_DATA_BYTES) {
      this.#socket?.send(frameOf(STDIN, offset + at, bytes.subarray(at, at + MOST_DATA_BYTES)));
    }
  }
}

function frameOf(stream: number, offset: number, data: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = stream;
  header.writeBigUInt64BE(BigInt(offset), 1);
  return Buffer.concat([header, data]);
}
