import { Waiters } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { TerminalSize } from '../../../core/process/process-host.ts';
import type { History } from '../session/history.ts';
import type { ScreenFormat, ScreenLook } from './screen-protocol.ts';
import type { ScreenThread } from './screen-thread.ts';

const PIECE_BYTES = 64 * 1024;
/** Milliseconds that output gathers while no call waits for the screen, so that viewers are served first. */
const GATHER_MS = 20;

/** The screen of one session. It draws the history in the background, and without delay while a call waits for it. */
export class Screen {
  readonly #thread: ScreenThread;
  readonly #history: History;
  readonly #failed: (error: unknown) => void;
  readonly #stop = new AbortController();
  #size: TerminalSize;
  /** Id of the model in the thread; undefined until the first is needed. */
  #model: number | undefined;
  #generation = 0;
  #offset = 0;
  /** Calls that wait for the screen. */
  #hurried = 0;
  readonly #hurry = new Waiters();
  readonly #drawn = new Waiters();
  #running: Promise<void> | undefined;
  #turn: Promise<void> = Promise.resolve();

  /** `failed` is called where the output cannot be drawn; a call then waits until the screen is disposed. */
  constructor(thread: ScreenThread, history: History, size: TerminalSize, failed: (error: unknown) => void) {
    this.#failed = failed;
    this.#thread = thread;
    this.#history = history;
    this.#size = size;
  }

  /** End of the output that is drawn. */
  get offset(): number {
    return this.#offset;
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    if (this.#model !== undefined) this.#thread.resize(this.#model, size.cols, size.rows);
  }

  /** The screen with all output of this moment drawn. @throws SandboxError `unavailable` where the thread died */
  async look(format: ScreenFormat, signal: AbortSignal): Promise<ScreenLook & { readonly offset: number }> {
    await this.reach(this.#history.end, signal);
    return this.lookNow(format);
  }

  /** The screen as it is drawn so far, up to `offset`. @throws SandboxError as `look` */
  async lookNow(format: ScreenFormat): Promise<ScreenLook & { readonly offset: number }> {
    this.follow();
    return this.#inTurn(async () => {
      const model = this.#opened();
      const offset = this.#offset;
      return { ...(await this.#thread.look(model, format)), offset };
    });
  }

  /** Resolves when the output before `offset` is drawn, or the signal fired. */
  async reach(offset: number, signal: AbortSignal): Promise<void> {
    this.#hurried += 1;
    this.#hurry.wake();
    try {
      // What a model had drawn is lost with its thread.
      while ((this.#stale || this.#offset < offset) && !this.#stop.signal.aborted && !signal.aborted) {
        this.follow();
        await this.#drawn.next({ signal });
      }
    } finally {
      this.#hurried -= 1;
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#hurry.wake();
    this.#drawn.wake();
    if (this.#model !== undefined) this.#thread.close(this.#model);
  }

  /** Draws the output from now on. */
  follow(): void {
    if (this.#running === undefined) this.#running = this.#begin().catch(this.#failed);
    else if (this.#stale) this.#opened();
  }

  /** A model costs as much time as the start of a shell, so the first output of the shell comes before it. */
  async #begin(): Promise<void> {
    await this.#history.advanced(this.#offset, this.#stop.signal);
    await this.#gather(GATHER_MS);
    if (!this.#stop.signal.aborted) this.#opened();
  }

  get #stale(): boolean {
    return this.#model !== undefined && this.#generation !== this.#thread.generation;
  }

  /** Opens a model where there is none or its thread died; it begins with the oldest output that is kept. */
  #opened(): number {
    if (this.#model !== undefined && !this.#stale) return this.#model;
    this.#model = this.#thread.open(this.#size.cols, this.#size.rows);
    this.#generation = this.#thread.generation;
    this.#offset = this.#history.first;
    this.#running = this.#run(this.#model, this.#generation).catch(this.#failed);
    return this.#model;
  }

  async #run(model: number, generation: number): Promise<void> {
    const { signal } = this.#stop;
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    while (!signal.aborted && generation === this.#thread.generation) {
      const { offset, bytes } = await this.#history.read(this.#offset, PIECE_BYTES, buffer);
      if (bytes.length === 0) {
        this.#offset = Math.max(this.#offset, offset);
        // Bytes that were dropped are not drawn, and not waited for either.
        this.#drawn.wake();
        if (this.#history.closed) break;
        await this.#history.advanced(this.#offset, signal);
        await this.#gather(GATHER_MS);
        continue;
      }
      const begun = performance.now();
      await this.#inTurn(async () => {
        await this.#thread.write(model, bytes);
        this.#offset = offset + bytes.length;
      });
      this.#drawn.wake();
      if (bytes.length === PIECE_BYTES) await this.#gather(performance.now() - begun);
    }
    this.#drawn.wake();
  }

  /** Waits for more output, up to so many milliseconds, or until a call waits for the screen. */
  async #gather(ms: number): Promise<void> {
    if (this.#hurried === 0) await this.#hurry.next({ ms, signal: this.#stop.signal });
  }

  /** Runs one task at a time, so that no look falls between a written piece and its offset. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(task);
    this.#turn = result.then(ignore, ignore);
    return result;
  }
}
