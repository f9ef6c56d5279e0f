import { pause } from '@sandbox/api/wait.ts';
import type { KeeperPlace } from './keeper-launch.ts';

/** Milliseconds before a keeper is joined again that sent a frame that could not be handled: it may send it again. */
const FAULT_MS = 1000;

/** Exceptions in the handling of frames: each ends its connection, and is reported once. */
export class FrameFaults {
  readonly #report: KeeperPlace['report'];
  #pauseMs = 0;

  constructor({ report }: KeeperPlace) {
    this.#report = report;
  }

  note(err: unknown, keeper: number | undefined): void {
    this.#pauseMs = FAULT_MS;
    this.#report?.({ err, keeper }, 'a frame of the process keeper could not be handled');
  }

  /** Waits before the next connection if the last one ended by an exception. */
  async pause(): Promise<void> {
    const ms = this.#pauseMs;
    this.#pauseMs = 0;
    if (ms > 0) await pause(ms);
  }
}
