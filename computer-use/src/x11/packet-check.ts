/** Bytes of the largest reply, unless the request needs more: a text of the clipboard that is saved has 4 MiB. */
const REPLY_MAX = 8 * 1024 ** 2;
/** Bytes that a generic event may have beyond 32; this client selects none. */
const GENERIC_MAX = 64 * 1024;
/** Events of a window of time, and its milliseconds: a screen that is drawn on all the time has one per picture. */
const EVENTS_MAX = 100_000;
const EVENTS_MS = 10_000;
const HEAD = 8;
/** Bytes of each packet beyond its head. */
const REST = 24;

const ERROR = 0;
const REPLY = 1;
const GENERIC_EVENT = 35;
/** Events of SendEvent have this bit (X protocol, §"Events"). */
const SENT = 0x80;

/** What an X server sends after the setup of the connection: its lengths, and how many packets. */
export class PacketCheck {
  readonly #requests: () => number;
  readonly #head = Buffer.alloc(HEAD);
  #headLength = 0;
  /** Bytes of the packet that have not come. */
  #left = 0;
  #answers = 0;
  #events = 0;
  #since = performance.now();
  readonly #larger = new Set<{ readonly bytes: number }>();

  /** @param requests the number of requests so far */
  constructor(requests: () => number) {
    this.#requests = requests;
  }

  /** Replies and errors so far. */
  get answers(): number {
    return this.#answers;
  }

  /** Allows a reply of that many bytes, until the answer is disposed. */
  allow(bytes: number): Disposable {
    const larger = { bytes };
    this.#larger.add(larger);
    return { [Symbol.dispose]: () => this.#larger.delete(larger) };
  }

  /** @throws Error for a packet that no sound server sends */
  take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, bytes.length - at);
        this.#left -= step;
        at += step;
        continue;
      }
      const step = bytes.copy(this.#head, this.#headLength, at, at + HEAD - this.#headLength);
      at += step;
      this.#headLength += step;
      if (this.#headLength < HEAD) return;
      this.#headLength = 0;
      this.#left = REST + this.#extra();
    }
  }

  /** Bytes of the packet of this head beyond 32. */
  #extra(): number {
    const [type = 0] = this.#head;
    if (type !== ERROR && type !== REPLY) return this.#event(type & ~SENT);
    this.#answers += 1;
    if (this.#answers > this.#requests()) throw new Error('it answers more requests than there were');
    return type === REPLY ? this.#length('a reply', Math.max(REPLY_MAX, ...[...this.#larger].map(bytesOf))) : 0;
  }

  #event(type: number): number {
    const now = performance.now();
    if (now - this.#since > EVENTS_MS) {
      this.#events = 0;
      this.#since = now;
    }
    this.#events += 1;
    if (this.#events > EVENTS_MAX) throw new Error(`it sends over ${EVENTS_MAX} events in ${EVENTS_MS / 1000} s`);
    return type === GENERIC_EVENT ? this.#length('an event', GENERIC_MAX) : 0;
  }

  #length(what: string, most: number): number {
    const length = this.#head.readUInt32LE(4) * 4;
    if (length > most) throw new Error(`it announces ${what} of ${length} bytes`);
    return length;
  }
}

function bytesOf({ bytes }: { readonly bytes: number }): number {
  return bytes;
}
