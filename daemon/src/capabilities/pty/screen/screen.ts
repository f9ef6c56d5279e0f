import type { TerminalSize } from '../../../core/process/process-host.ts';
import type { History } from '../session/history.ts';
import type { ScreenFormat, ScreenLook } from './screen-protocol.ts';
import type { ScreenThread } from './screen-thread.ts';

const PIECE_BYTES = 64 * 1024;
/** Milliseconds that it lets output gather while nobody waits for it, so that viewers come first. */
const GATHER_MS = 20;

/**
 * The screen of one session: it follows the history behind everybody else's back, and is in no hurry unless somebody
 * waits for it.
 */
export class Screen {
  readonly #thread: ScreenThread;
  readonly #history: History;
  readonly #stop = new AbortController();
  #size: TerminalSize;
  /** Of the thread; undefined until it is needed. */
  #model: number | undefined;
  #generation = 0;
  #offset = 0;
  #hurried = 0;
  #hurry: () => void = () => {};
  #running: Promise<void> | undefined;
  #drawn = Promise.withResolvers<void>();
  #turn: Promise<void> = Promise.resolve();

  constructor(thread: ScreenThread, history: History, size: TerminalSize) {
    this.#thread = thread;
    this.#history = history;
    this.#size = size;
  }

  /** How far it has come. */
  get offset(): number {
    return this.#offset;
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    if (this.#model !== undefined) this.#thread.resize(this.#model, size.cols, size.rows);
  }

  /** What is on the screen once it has come as far as the history is now. */
  async look(format: ScreenFormat, signal?: AbortSignal): Promise<ScreenLook & { readonly offset: number }> {
    await this.reach(this.#history.end, signal);
    return this.lookNow(format);
  }

  /** What is on the screen now; `offset` tells what is not on it yet. */
  async lookNow(format: ScreenFormat): Promise<ScreenLook & { readonly offset: number }> {
    this.follow();
    return this.#inTurn(async () => {
      const model = this.#opened();
      const offset = this.#offset;
      return { ...(await this.#thread.look(model, format)), offset };
    });
  }

  /** Resolves when it has drawn everything before `offset`, or the signal fired. */
  async reach(offset: number, signal?: AbortSignal): Promise<void> {
    this.#hurried += 1;
    this.#hurry();
    const aborted =
      signal && new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    try {
      while (this.#offset < offset && !this.#stop.signal.aborted && !signal?.aborted) {
        this.follow();
        await (aborted ? Promise.race([this.#drawn.promise, aborted]) : this.#drawn.promise);
      }
    } finally {
      this.#hurried -= 1;
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#hurry();
    this.#drawn.resolve();
    if (this.#model !== undefined) this.#thread.close(this.#model);
  }

  /** Draws from now on what comes, as it comes. */
  follow(): void {
    if (this.#running === undefined) this.#running = this.#begin();
    else if (this.#stale) this.#opened();
  }

  /** A model costs as much as the start of a shell: it is made when that has had its time. */
  async #begin(): Promise<void> {
    await this.#history.advanced(this.#history.first, this.#stop.signal);
    await this.#gather(GATHER_MS);
    if (!this.#stop.signal.aborted) this.#opened();
  }

  get #stale(): boolean {
    return this.#model !== undefined && this.#generation !== this.#thread.generation;
  }

  /** Makes a model where there is none, or the thread that had it died; it begins with the oldest that is kept. */
  #opened(): number {
    if (this.#model !== undefined && !this.#stale) return this.#model;
    this.#model = this.#thread.open(this.#size.cols, this.#size.rows);
    this.#generation = this.#thread.generation;
    this.#offset = this.#history.first;
    this.#running = this.#run(this.#model, this.#generation);
    return this.#model;
  }

  async #run(model: number, generation: number): Promise<void> {
    const { signal } = this.#stop;
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    while (!signal.aborted && generation === this.#thread.generation) {
      const { offset, bytes } = await this.#history.read(this.#offset, PIECE_BYTES, buffer);
      if (bytes.length === 0) {
        this.#offset = Math.max(this.#offset, offset);
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
      this.#tell();
      if (bytes.length === PIECE_BYTES) await this.#gather(performance.now() - begun);
    }
    this.#tell();
  }

  /** Waits, unless somebody is in a hurry or comes to be. */
  async #gather(milliseconds: number): Promise<void> {
    if (this.#hurried > 0 || this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#hurry = () => {};
  }

  #tell(): void {
    const drawn = this.#drawn;
    this.#drawn = Promise.withResolvers();
    drawn.resolve();
  }

  /** A look never falls between a piece and the offset after it. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(task);
    this.#turn = result.then(
      () => {},
      () => {},
    );
    return result;
  }
}
