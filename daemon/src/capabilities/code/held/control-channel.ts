import { connect, type Socket } from 'node:net';
import { CollectedBytes } from '@sandbox/program/collected-bytes.ts';
import { ignore } from '@sandbox/program/ignore.ts';

/** The longest message of an interpreter in bytes; it cuts its texts far below. */
const MESSAGE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** A message in either direction: one JSON object a line. */
export type Message = Readonly<Record<string, unknown>>;

/**
 * The connection to the control socket of an interpreter. Its account can write anything to it: what is not a message
 * closes the channel. The daemon writes nothing before the interpreter has named the token, so that another socket
 * under that name gets none of it.
 */
export class ControlChannel implements Disposable {
  readonly #socket: Socket;
  readonly #token: string;
  readonly #receive: (message: Message) => void;
  readonly #hello = Promise.withResolvers<Message | undefined>();
  readonly #closed = Promise.withResolvers<void>();
  /** The beginning of a line. */
  readonly #begun = new CollectedBytes();
  #isOpen = false;

  /** Connects. `receive` gets the messages, the greeting first. */
  constructor(path: string, token: string, receive: (message: Message) => void) {
    this.#token = token;
    this.#receive = receive;
    this.#socket = connect(path);
    this.#socket.on('data', (bytes) => this.#take(bytes));
    this.#socket.on('error', ignore);
    this.#socket.once('close', () => {
      this.#hello.resolve(undefined);
      this.#closed.resolve();
    });
  }

  /** The greeting; undefined if the channel is closed without one. It may come late: the wait needs a bound. */
  get hello(): Promise<Message | undefined> {
    return this.#hello.promise;
  }

  /** Settles when it was closed by either side; never rejects. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Only after the greeting. Has no effect once the channel is closed. */
  send(message: Message): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      const line = this.#lineTo(bytes.subarray(from, at));
      from = at + 1;
      if (!this.#understand(line)) return;
    }
    this.#begun.add(bytes.subarray(from));
    if (this.#begun.length > MESSAGE_BYTES) this.#socket.destroy();
  }

  #lineTo(end: Buffer): string {
    if (this.#begun.length === 0) return end.toString('utf8');
    this.#begun.add(end);
    return this.#begun.take().toString('utf8');
  }

  #understand(line: string): boolean {
    const message = parse(line);
    if (message !== undefined && (this.#isOpen || message['hello'] === this.#token)) {
      const isFirst = !this.#isOpen;
      this.#isOpen = true;
      this.#receive(message);
      if (isFirst) this.#hello.resolve(message);
      return true;
    }
    this.#socket.destroy();
    return false;
  }
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
