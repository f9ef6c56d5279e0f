import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { numbersOf, SEED } from './seed.ts';

const HELLO = 12;
const MIB = 1024 ** 2;
/** Displays of a host are its TCP ports from here on (X protocol, §"Connection setup"). */
const FIRST_PORT = 6_000;
const QUERY_EXTENSION = 98;
/** Bytes that are written between two looks at the client, by an attack without an end. */
const PIECE = 64 * 1024;

/** One request of a client. */
interface Request {
  readonly opcode: number;
  readonly sequence: number;
}

/** A server of the X protocol that attacks its client. */
export interface DisplayAttack {
  readonly name: string;
  /** The answer to the first bytes of a client. Default: a sound one. */
  readonly setup?: () => Buffer;
  /** Is sent again and again after the setup, as fast as the client takes it. */
  readonly endless?: Buffer;
  /** The answer to each request after the setup. Default: none. */
  readonly answer?: (request: Request) => Buffer;
  /** It is one more of its kind: only in the whole run. */
  readonly isLong?: boolean;
}

interface SetupTerms {
  readonly status?: number;
  readonly mask?: number;
  readonly keys?: readonly [number, number];
  readonly screens?: number;
  readonly visuals?: (at: number) => number;
  readonly visualCount?: number;
  /** Length in words that is announced. */
  readonly words?: number;
}

/** The reply of a connection setup (X protocol, §8). */
function setup(terms: SetupTerms = {}): Buffer {
  const { status = 1, mask = 0x1f_ffff, keys = [8, 255], screens = 1, visualCount = 1, words } = terms;
  const { visuals = (at: number) => 0x20 + at } = terms;
  const fixed = Buffer.alloc(40);
  fixed[0] = status;
  fixed.writeUInt16LE(11, 2);
  fixed.writeUInt32LE(0x20_0000, 12);
  fixed.writeUInt32LE(mask, 16);
  fixed.writeUInt16LE(65_535, 26);
  fixed[28] = screens;
  fixed[29] = 1;
  fixed.set([32, 32, ...keys], 32);
  const format = Buffer.from([24, 32, 32, 0, 0, 0, 0, 0]);
  const screen = Buffer.alloc(40);
  screen.writeUInt32LE(0x100, 0);
  screen.writeUInt16LE(800, 20);
  screen.writeUInt16LE(600, 22);
  screen.set([24, 1], 38);
  const depth = Buffer.from([24, 0, visualCount & 0xff, visualCount >> 8, 0, 0, 0, 0]);
  const rows = Array.from({ length: visualCount }, (_, at) => {
    const row = Buffer.alloc(24);
    row.writeUInt32LE(visuals(at), 0);
    return row;
  });
  const whole = Buffer.concat([fixed, format, ...Array<Buffer>(screens).fill(Buffer.concat([screen, depth, ...rows]))]);
  whole.writeUInt16LE(words ?? (whole.length - 8) / 4, 6);
  return whole;
}

/** A reply with `words` announced and a body of these bytes. */
function reply(sequence: number, body: Buffer = Buffer.alloc(24), words = (body.length - 24) / 4, data = 0): Buffer {
  const head = Buffer.from([1, data, sequence & 0xff, (sequence >> 8) & 0xff, 0, 0, 0, 0]);
  head.writeUInt32LE(words, 4);
  return Buffer.concat([head, body]);
}

function packet(type: number, sequence = 1, length = 0): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.set([type, 1]);
  bytes.writeUInt16LE(sequence, 2);
  bytes.writeUInt32LE(length, 4);
  return bytes;
}

/** Says of each extension that it is there, so that the client continues to ask. */
const withExtensions =
  (answer: (request: Request) => Buffer) =>
  (request: Request): Buffer =>
    request.opcode === QUERY_EXTENSION
      ? reply(request.sequence, Buffer.concat([Buffer.from([1, 130, 80, 140]), Buffer.alloc(20)]))
      : answer(request);

const filled = (length: number, byte: number): Buffer => Buffer.alloc(24 + length, byte);
const garbage = (length: number): Buffer => {
  const next = numbersOf(SEED);
  return Buffer.from(Array.from({ length }, () => next(256)));
};
const copies = (bytes: Buffer): Buffer => Buffer.concat(Array<Buffer>(PIECE / bytes.length).fill(bytes));

export const DISPLAYS: readonly DisplayAttack[] = [
  { name: 'a server that says nothing', setup: () => Buffer.alloc(0) },
  { name: 'a server that says one byte', isLong: true, setup: () => Buffer.from([1]) },
  { name: 'garbage', setup: () => garbage(MIB) },
  { name: 'a server that wants more of a login', setup: () => setup({ status: 2 }) },
  { name: 'a refusal with a text without an end', setup: () => setup({ status: 0 }), endless: Buffer.alloc(PIECE, 97) },
  { name: 'a mask of ids without a bit', setup: () => setup({ mask: 0 }) },
  { name: 'a mask of ids of one bit', isLong: true, setup: () => setup({ mask: 0x8000_0000 }) },
  { name: 'a setup that is shorter than announced', setup: () => setup({ words: 65_535 }) },
  { name: 'a setup that is longer than announced', isLong: true, setup: () => setup({ words: 20 }) },
  { name: 'a setup without a screen', isLong: true, setup: () => setup({ screens: 0 }) },
  { name: '200 screens', isLong: true, setup: () => setup({ screens: 200 }) },
  { name: 'keys from the last to the first', isLong: true, setup: () => setup({ keys: [255, 8] }) },
  { name: '10,000 visuals', isLong: true, setup: () => setup({ visualCount: 10_000 }) },
  { name: '10,000 visuals of one id', setup: () => setup({ visualCount: 10_000, visuals: () => 32 }) },
  { name: 'a reply of 16 GiB', answer: ({ sequence }) => reply(sequence, filled(0, 0), 0xffff_ffff) },
  { name: 'a reply of 1 GiB', isLong: true, answer: ({ sequence }) => reply(sequence, filled(MIB, 0), 256 * MIB) },
  { name: 'a reply that stops', isLong: true, answer: ({ sequence }) => reply(sequence, filled(0, 0), 100) },
  { name: 'replies without an end', endless: copies(reply(1)) },
  { name: 'errors without an end', isLong: true, endless: copies(packet(0)) },
  { name: 'events without an end', endless: copies(packet(22)) },
  { name: 'events that name a length of 16 GiB', endless: packet(35, 1, 0xffff_ffff) },
  { name: 'garbage after the setup', endless: garbage(PIECE) },
  { name: 'nothing after the setup' },
  { name: 'a display that refuses each request', answer: ({ sequence }) => packet(0, sequence) },
  { name: 'replies of zeros', answer: withExtensions(({ sequence }) => reply(sequence)) },
  { name: 'replies of 0xff', answer: withExtensions(({ sequence }) => reply(sequence, filled(0, 0xff))) },
  {
    name: 'replies of 4 KiB of 0xff',
    isLong: true,
    answer: withExtensions(({ sequence }) => reply(sequence, filled(4_096, 0xff))),
  },
  { name: 'replies of 7 MiB', answer: withExtensions(({ sequence }) => reply(sequence, filled(7 * MIB, 7))) },
  {
    name: 'replies of 7 MiB of 0xff',
    isLong: true,
    answer: withExtensions(({ sequence }) => reply(sequence, filled(7 * MIB, 0xff))),
  },
  {
    name: 'two replies to each request',
    answer: withExtensions(({ sequence }) => Buffer.concat([reply(sequence), reply(sequence)])),
  },
];

/** Serves one attack as a display of this machine. */
export class HostileDisplay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #number = 0;

  private constructor(attack: DisplayAttack) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket.on('error', () => socket.destroy()));
      socket.once('close', () => this.#sockets.delete(socket));
      serve(socket, attack);
    });
  }

  static async start(attack: DisplayAttack): Promise<HostileDisplay> {
    const display = new HostileDisplay(attack);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const listen = (number: number): void => {
      const retry = (error: NodeJS.ErrnoException): void =>
        error.code === 'EADDRINUSE' && number < 10_000 ? listen(number + 1) : reject(error);
      display.#server.once('error', retry).listen(FIRST_PORT + number, '127.0.0.1', () => {
        display.#server.off('error', retry);
        resolve(number);
      });
    };
    listen(1_000);
    display.#number = await promise;
    return display;
  }

  get name(): string {
    return `127.0.0.1:${this.#number}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function serve(socket: Socket, attack: DisplayAttack): void {
  const requests = new Requests();
  socket.on('data', (bytes) => {
    for (const request of requests.take(bytes)) {
      if (request === 'hello') {
        socket.write((attack.setup ?? setup)());
        if (attack.endless) pour(socket, attack.endless);
      } else if (attack.answer) socket.write(attack.answer(request));
    }
  });
}

/** Writes the bytes for as long as the client takes them. */
function pour(socket: Socket, bytes: Buffer): void {
  const next = (): void => {
    if (socket.destroyed) return;
    if (socket.write(bytes)) setImmediate(next);
    else socket.once('drain', next);
  };
  next();
}

/** Divides what a client sends into its hello and its requests. */
class Requests {
  #bytes = Buffer.alloc(0);
  #sequence = -1;

  *take(bytes: Buffer): Generator<'hello' | Request> {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const length = this.#length();
      if (length === undefined || this.#bytes.length < length) return;
      const [opcode = 0] = this.#bytes;
      this.#bytes = this.#bytes.subarray(length);
      this.#sequence += 1;
      yield this.#sequence === 0 ? 'hello' : { opcode, sequence: this.#sequence };
    }
  }

  #length(): number | undefined {
    if (this.#bytes.length < HELLO) return this.#sequence < 0 || this.#bytes.length < 4 ? undefined : this.#words() * 4;
    if (this.#sequence >= 0) return this.#words() * 4;
    const padded = (at: number): number => Math.ceil(this.#bytes.readUInt16LE(at) / 4) * 4;
    return HELLO + padded(6) + padded(8);
  }

  /** A request of more than 65,535 words says 0 and its length in the next word (BIG-REQUESTS). */
  #words(): number {
    return this.#bytes.readUInt16LE(2) || (this.#bytes.length < 8 ? 2 : this.#bytes.readUInt32LE(4));
  }
}
