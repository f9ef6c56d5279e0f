import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { encodeCommand, encodeMessage, FrameParser, type ParsedMessage, type Retention } from './frame-parser.ts';

const GREETING_BYTES = 64;
/** Milliseconds between two tries to connect to a socket that does not listen yet. */
const RETRY_MS = 3;

/** What has arrived is in it only until the reader returns; the parser copies what it keeps. */
const BUFFER = Buffer.alloc(64 * 1024);

interface Reader {
  read: (bytes: Buffer) => void;
}

export type SocketKind = 'DEALER' | 'SUB' | 'REQ';

/** Handlers of what arrives; each call is a whole message. */
export interface SocketEvents {
  readonly message: (frames: readonly Buffer[], droppedBytes: number) => void;
  /** The connection has ended, for whatever reason. */
  readonly closed: () => void;
}

export interface SocketTerms {
  readonly kind: SocketKind;
  readonly events: SocketEvents;
  /** By which a ROUTER addresses this end; a later connection with the same one replaces this one. */
  readonly identity?: string;
  /** What is kept of long messages. */
  readonly retention?: Retention;
}

/** The client's end of one ZeroMQ connection over a Unix socket: ZMTP 3.0 with the NULL mechanism (RFC 23, 37). */
export class ZmtpSocket implements Disposable {
  readonly #socket: Socket;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Undefined if nothing listens. */
  static async #open(path: string, reader: Reader): Promise<ZmtpSocket | undefined> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const callback = (length: number): boolean => {
      reader.read(BUFFER.subarray(0, length));
      return true;
    };
    const socket = connect({ path, onread: { buffer: BUFFER, callback } });
    socket.once('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    return (await promise) ? new ZmtpSocket(socket) : undefined;
  }

  /**
   * Connects as soon as the peer listens.
   * @throws Error if the peer does not listen and greet within `ms`, or the signal fires
   */
  static async connect(
    path: string,
    terms: SocketTerms,
    { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<ZmtpSocket> {
    const deadline = performance.now() + ms;
    for (;;) {
      const reader: Reader = { read: ignore };
      const made = await ZmtpSocket.#open(path, reader);
      if (made) {
        const greeted = made.#greet(terms, reader);
        if ((await waitFor(greeted, { ms: deadline - performance.now(), signal })) === 'settled') {
          await greeted;
          return made;
        }
        made[Symbol.dispose]();
        throw new Error(`no greeting from ${path}`);
      }
      signal.throwIfAborted();
      if (performance.now() > deadline) throw new Error(`nothing listens at ${path}`);
      await sleep(RETRY_MS);
    }
  }

  send(frames: readonly Buffer[]): void {
    if (!this.#isClosed) this.#socket.write(encodeMessage(frames));
  }

  /** Of a SUB socket: everything from now on. */
  subscribe(): void {
    this.send([Buffer.from([1])]);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #greet({ kind, identity = '', events, retention }: SocketTerms, reader: Reader): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    const parser = new FrameParser(retention);
    let greeting: Buffer | undefined = Buffer.alloc(0);
    const read = (bytes: Buffer): void => {
      let rest = bytes;
      if (greeting) {
        greeting = Buffer.concat([greeting, bytes]);
        if (greeting.length < GREETING_BYTES) return;
        requireGreeting(greeting);
        rest = greeting.subarray(GREETING_BYTES);
        greeting = undefined;
        this.#socket.write(readyCommand(kind, identity));
      }
      for (const message of parser.push(rest)) hand(message, events, resolve);
    };
    reader.read = (bytes) => {
      try {
        read(bytes);
      } catch (error) {
        this.#socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    };
    this.#socket.once('close', () => {
      this.#isClosed = true;
      reject(new Error('the connection was closed before it was ready'));
      events.closed();
    });
    this.#socket.write(greetingOfClient());
    return promise;
  }
}

function hand(message: ParsedMessage, events: SocketEvents, ready: () => void): void {
  if ('frames' in message) events.message(message.frames, message.droppedBytes);
  else if (isReady(message.command)) ready();
}

function greetingOfClient(): Buffer {
  const greeting = Buffer.alloc(GREETING_BYTES);
  greeting.writeUInt8(0xff, 0);
  greeting.writeUInt8(0x7f, 9);
  greeting.writeUInt8(3, 10);
  greeting.write('NULL', 12, 'latin1');
  return greeting;
}

function requireGreeting(greeting: Buffer): void {
  const isZmtp = greeting[0] === 0xff && greeting[9] === 0x7f && (greeting[10] ?? 0) >= 3;
  const mechanism = greeting.toString('latin1', 12, 16);
  if (!isZmtp || mechanism !== 'NULL') throw new Error('the peer does not speak ZMTP 3 without security');
}

function readyCommand(kind: SocketKind, identity: string): Buffer {
  const properties = [property('Socket-Type', kind), ...(identity === '' ? [] : [property('Identity', identity)])];
  return encodeCommand('READY', Buffer.concat(properties));
}

function property(name: string, value: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name, 'latin1'), length, Buffer.from(value, 'latin1')]);
}

function isReady(command: Buffer): boolean {
  return command.toString('latin1', 0, 6) === '\x05READY';
}
