import { setImmediate as nextTurn } from 'node:timers/promises';
import { incompleteTail } from '../../../core/output/text-slice.ts';
import type { History } from '../session/history.ts';
import type { ViewerFlow } from './viewer-flow.ts';
import type { ToViewer } from './viewer-messages.ts';
import type { ViewerPort } from './viewer-port.ts';

/** Bytes of one frame. */
const PIECE_BYTES = 64 * 1024;
/** A viewer that is this far behind after a wait gets `relay_resumed`. */
const BEHIND_BYTES = 256 * 1024;

/** Sends the history to one viewer at the pace of the viewer. */
export class OutputRelay {
  readonly #history: History;
  readonly #port: ViewerPort;
  readonly #flow: ViewerFlow;
  readonly #isBinary: boolean;
  /** Buffers to read into; one whose bytes are being sent is not among them. */
  readonly #buffers: Buffer[] = [];
  #offset = 0;

  constructor(history: History, port: ViewerPort, flow: ViewerFlow, protocol: 'json' | 'binary') {
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
      if (waited && this.#history.end - this.#offset > BEHIND_BYTES) this.#sendResumed(this.#history.first);
      if (await this.#sendPiece()) continue;
      if (this.#history.closed || gone.aborted) return;
      await this.#history.advanced(this.#offset, gone);
    }
  }

  /** Sends the next piece of output; answers whether there was one. */
  async #sendPiece(): Promise<boolean> {
    const buffer = this.#buffers.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
    const { offset, bytes } = await this.#history.read(this.#offset, PIECE_BYTES, buffer);
    if (bytes.length === 0 || this.#port.gone.aborted) {
      this.#buffers.push(buffer);
      return false;
    }
    await this.#pass(bytes, offset, () => this.#buffers.push(buffer));
    // Other connections and the shell get a turn of the event loop between two pieces.
    if (bytes.length === PIECE_BYTES) await nextTurn();
    return true;
  }

  async #pass(bytes: Buffer, offset: number, sent: () => void): Promise<void> {
    if (offset > this.#offset) this.#sendResumed(offset);
    const whole = this.#whole(bytes, offset);
    if (whole > 0) {
      this.#sendOutput(bytes.subarray(0, whole), offset, sent);
      return;
    }
    sent();
    await this.#history.advanced(offset + bytes.length, this.#port.gone);
  }

  /** How many of the bytes can be sent: a JSON frame holds no part of a UTF-8 sequence whose rest may follow. */
  #whole(bytes: Buffer, offset: number): number {
    if (this.#isBinary) return bytes.length;
    const cut = incompleteTail(bytes);
    const isLast = this.#history.closed && offset + bytes.length >= this.#history.end;
    return cut === bytes.length && isLast ? cut : bytes.length - cut;
  }

  #sendOutput(bytes: Buffer, offset: number, sent: () => void): void {
    this.#offset = offset + bytes.length;
    if (this.#isBinary) {
      this.#port.sendBytes(bytes, sent);
      return;
    }
    const text = JSON.stringify(bytes.toString('utf8'));
    sent();
    this.#port.sendText(`{"type":"output","data":${text},"offset":${this.#offset}}`);
  }

  #sendResumed(first: number): void {
    this.#offset = Math.max(this.#offset, first);
    const message: ToViewer = { type: 'relay_resumed', offset: this.#offset };
    this.#port.sendText(JSON.stringify(message));
  }
}
