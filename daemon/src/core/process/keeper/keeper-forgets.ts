import { FrameWriter, REQUEST } from './keeper-frames.ts';

/** Ids in one frame, far below its bound. */
const MAX_IDS = 10_000;

/** Collects what the keeper can forget until the present microtasks have run, and sends it in one FORGET. */
export class KeeperForgets {
  readonly #send: (frame: FrameWriter) => void;
  #waiting = new Map<string, boolean>();

  constructor(send: (frame: FrameWriter) => void) {
    this.#send = send;
  }

  add(id: string, discard: boolean): void {
    if (this.#waiting.size === 0) queueMicrotask(() => this.flush());
    this.#waiting.set(id, discard || this.#waiting.get(id) === true);
  }

  /** Sends at once, so that a frame behind it finds the ids forgotten. */
  flush(): void {
    const all = [...this.#waiting];
    this.#waiting = new Map();
    for (let at = 0; at < all.length; at += MAX_IDS) {
      const some = all.slice(at, at + MAX_IDS);
      const frame = new FrameWriter(REQUEST.forget).u32(some.length);
      for (const [id, discard] of some) frame.text(id).flag(discard);
      this.#send(frame);
    }
  }
}
