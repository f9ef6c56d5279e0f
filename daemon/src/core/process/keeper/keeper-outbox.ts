import { ignore } from '@sandbox/program/ignore.ts';
import type { KeeperConnection } from './keeper-connection.ts';
import type { FrameWriter } from './keeper-frames.ts';

/** Frames about processes, on their way to the keeper. */
export class KeeperOutbox {
  #open: KeeperConnection | undefined;
  /** Number of frames that wait for the connection. */
  #deferred = 0;

  opened(connection: KeeperConnection): void {
    this.#open = connection;
  }

  /** Sends at once, for the latency of typed keys, unless that would overtake frames that wait for `connection`. */
  send(connection: Promise<KeeperConnection>, frame: FrameWriter): void {
    if (this.#open?.isOpen && this.#deferred === 0) this.#open.send(frame);
    else void this.#defer(connection, frame);
  }

  async #defer(connection: Promise<KeeperConnection>, frame: FrameWriter): Promise<void> {
    this.#deferred += 1;
    await connection.then((open) => open.send(frame)).catch(ignore);
    this.#deferred -= 1;
  }
}
