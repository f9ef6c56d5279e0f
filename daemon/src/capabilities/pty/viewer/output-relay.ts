import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientPort } from '../../../core/connection/client-port.ts';
import { incompleteTail } from '../../../core/output/text-slice.ts';
import type { History } from '../session/history.ts';
import type { ViewerFlow } from './viewer-flow.ts';
import type { ToViewer } from './viewer-messages.ts';

/** Bytes of one frame. */
const PIECE_BYTES = 64 * 1024;
/** A viewer that is this far behind after a wait gets `relay_resumed`. */
const BEHIND_BYTES = 256 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

/** Sends the history to one viewer at the pace of the viewer. */
export class OutputRelay {
  readonly #history: History;
  readonly #port: ClientPort;
  readonly #flow: ViewerFlow;
  readonly #isBinary: boolean;
  /** Buffers to read into; one whose bytes are being sent is not among them. */
  readonly #buffers: Buffer[] = [];
  /** Offset after what was sent. */
  #offset = 0;
  /** Bytes after those: the begin of a UTF-8 sequence, since a JSON frame holds no part of one whose rest may follow. */
  #begun = EMPTY;

  constructor(history: History, port: ClientPort, flow: ViewerFlow, protocol: 'json' | 'binary') {
    this.#history = history;
    this.#port = port;
    this.#flow = flow;
    this.#isBinary = protocol === 'binary';
  }

  /** Sends the output from `offset` on until the history is complete or the viewer is gone. */
  async run(offset: number): Promise<void> {
    const { gone } = this.#port;
    this.#offset = offset;
    while (!gone.aborted) {
      const waited = await this.#flow.ready(this.#offset);
      if (waited && this.#history.end - this.#offset > BEHIND_BYTES) this.#resumeAt(this.#history.first);
      const found = await this.#sendPiece();
      if (found === 'piece') continue;
      if (gone.aborted) return;
      if (found === 'end') {
        if (this.#begun.length > 0) this.#sendText(this.#begun);
        return;
      }
      await this.#history.advanced(this.#readTo, gone);
    }
  }

  get #readTo(): number {
    return this.#offset + this.#begun.length;
  }

  /** Sends the next piece of output. @returns whether there was one, or the end */
  async #sendPiece(): Promise<'piece' | 'nothing' | 'end'> {
    const buffer = this.#buffers.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
    const { offset, bytes, isOver } = await this.#history.read(this.#readTo, PIECE_BYTES, buffer);
    const sent = (): void => void this.#buffers.push(buffer);
    if (this.#port.gone.aborted) return 'nothing';
    if (offset > this.#readTo) this.#resumeAt(offset);
    if (bytes.length === 0) {
      sent();
      return isOver ? 'end' : 'nothing';
    }
    if (this.#isBinary) {
      this.#offset = offset + bytes.length;
      this.#port.sendBytes(bytes, sent);
    } else {
      this.#sendWhole(this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]));
      sent();
    }
    // Other connections and the shell get a turn of the event loop between two pieces.
    if (bytes.length === PIECE_BYTES) await nextTurn();
    return 'piece';
  }

  #sendWhole(bytes: Buffer): void {
    const whole = bytes.length - incompleteTail(bytes);
    if (whole > 0) this.#sendText(bytes.subarray(0, whole));
    this.#begun = Buffer.from(bytes.subarray(whole));
  }

  #sendText(bytes: Buffer): void {
    this.#offset += bytes.length;
    const text = JSON.stringify(bytes.toString('utf8'));
    this.#port.sendText(`{"type":"output","data":${text},"offset":${this.#offset}}`);
  }

  #resumeAt(first: number): void {
    this.#offset = Math.max(this.#offset, first);
    this.#begun = EMPTY;
    const message: ToViewer = { type: 'relay_resumed', offset: this.#offset };
    this.#port.sendText(JSON.stringify(message));
  }
}
