import { Slots } from '@sandbox/api/wait.ts';
import type { XSession } from '../x11/x-session.ts';

/** Bytes that one request carries safely, and from which on a text goes in pieces (ICCCM §2.7.2). */
const PIECE = 128 * 1024;
const REPLACE = 0;
const DELETED = 1;
const PROPERTY_CHANGE = 0x40_0000;
/** Milliseconds for a client to take all pieces. */
const TRANSFER_MS = 10_000;
/** Texts that are sent in pieces at once. */
const TRANSFERS_MAX = 16;
const ignore = (): boolean => true;

export interface Delivery {
  readonly requestor: number;
  readonly property: number;
  readonly type: number;
  readonly bytes: Buffer;
  /** The atom INCR. */
  readonly incr: number;
}

/** Hands texts over to the clients that ask for them. */
export class TextSender {
  readonly #session: XSession;
  readonly #transfers = new Slots(TRANSFERS_MAX);

  constructor(session: XSession) {
    this.#session = session;
  }

  /**
   * Writes a text to the property of a requestor, or begins to send it in pieces.
   * @returns false if it would go in pieces and too many others do
   */
  deliver(delivery: Delivery): boolean {
    const { requestor, property, type, bytes, incr } = delivery;
    const { client } = this.#session;
    if (bytes.length <= PIECE) {
      client.ChangeProperty(REPLACE, requestor, property, type, 8, bytes, ignore);
      return true;
    }
    const transfer = this.#transfers.tryTake();
    if (transfer === undefined) return false;
    client.ChangeWindowAttributes(requestor, { eventMask: PROPERTY_CHANGE }, ignore);
    client.ChangeProperty(REPLACE, requestor, property, incr, 32, [bytes.length], ignore);
    this.#sendPieces(delivery, transfer);
    return true;
  }

  /** Sends a piece each time the requestor has deleted the one before; the last is empty. */
  #sendPieces({ requestor, property, type, bytes }: Delivery, transfer: Disposable): void {
    const session = this.#session;
    let sent = 0;
    const listening = session.on('PropertyNotify', ({ wid, atom, state }) => {
      if (wid !== requestor || atom !== property || state !== DELETED) return;
      const piece = bytes.subarray(sent, sent + PIECE);
      session.client.ChangeProperty(REPLACE, requestor, property, type, 8, piece, ignore);
      sent += piece.length;
      if (piece.length === 0) end();
    });
    const timer = setTimeout(() => end(), TRANSFER_MS).unref();
    const end = (): void => {
      transfer[Symbol.dispose]();
      listening[Symbol.dispose]();
      clearTimeout(timer);
      session.client.ChangeWindowAttributes(requestor, { eventMask: 0 }, ignore);
    };
  }
}
