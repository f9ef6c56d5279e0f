import type { Worker } from 'node:worker_threads';
import { WorkMark } from './work-mark.ts';

/** Parts of the deadline at which the watch looks: a process that was stopped counts one of them. */
const LOOKS = 10;

/** Ends a thread whose work on one session does not end in time. */
export class ThreadWatch {
  readonly buffer = WorkMark.buffer();
  readonly #mark = new WorkMark(this.buffer);
  readonly #deadlineMs: number;
  #isLate = false;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** The session that the thread works for; of a thread that has ended, the one it worked for at its end. */
  get session(): number | undefined {
    return this.#mark.session;
  }

  /** The thread was ended, since its work took too long. */
  get isLate(): boolean {
    return this.#isLate;
  }

  follow(worker: Worker): void {
    let seen = this.#mark.count;
    let looks = 0;
    const timer = setInterval(() => {
      const isSame = this.#mark.session !== undefined && this.#mark.count === seen;
      looks = isSame ? looks + 1 : 0;
      seen = this.#mark.count;
      if (looks < LOOKS) return;
      clearInterval(timer);
      this.#isLate = true;
      void worker.terminate();
    }, this.#deadlineMs / LOOKS).unref();
    worker.once('exit', () => clearInterval(timer));
  }
}
