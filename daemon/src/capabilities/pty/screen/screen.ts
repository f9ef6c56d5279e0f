import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Waiters } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { workOnAnswer } from '../../../core/answers/answer-hold.ts';
import type { TerminalSize } from '../../../core/process/process-host.ts';
import type { History } from '../session/history.ts';
import type { ScreenFormat, ScreenLook } from './screen-protocol.ts';
import type { ScreenFailure, ScreenThread } from './screen-thread.ts';

const PIECE_BYTES = 64 * 1024;
/** Milliseconds that output gathers while no call waits for the screen, so that viewers are served first. */
const GATHER_MS = 20;
/** Milliseconds that a call waits until output that takes long to draw is drawn. */
const LOOK_MS = 30_000;

/** Whether the screen is given up, and how that is kept. */
export interface ScreenState {
  readonly failure?: ScreenFailure | undefined;
  /** The screen is given up: it is not drawn again, also by a later daemon. */
  readonly gaveUp: (failure: ScreenFailure) => void;
}

const REASONS: Readonly<Record<ScreenFailure, string>> = {
  time: 'its output took too long to draw',
  memory: 'its output needs too much memory to draw',
};

/** The screen of one session. It draws the history in the background, and without delay while a call waits for it. */
export class Screen {
  readonly #thread: ScreenThread;
  readonly #history: History;
  readonly #failed: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #gaveUp: (failure: ScreenFailure) => void;
  #failure: ScreenFailure | undefined;
  #size: TerminalSize;
  /** Id of the model in the thread; undefined until the first is needed. */
  #model: number | undefined;
  #offset = 0;
  #missing = 0;
  /** Calls that wait for the screen. */
  #hurried = 0;
  readonly #hurry = new Waiters();
  readonly #drawn = new Waiters();
  #running: Promise<void> | undefined;
  #turn: Promise<void> = Promise.resolve();

  /** `failed` is called if the output cannot be drawn; a call then waits until the screen is disposed. */
  constructor(
    thread: ScreenThread,
    history: History,
    { failed, size, state }: { failed: (error: unknown) => void; size: TerminalSize; state: ScreenState },
  ) {
    this.#failed = failed;
    this.#failure = state.failure;
    this.#gaveUp = state.gaveUp;
    this.#thread = thread;
    this.#history = history;
    this.#size = size;
  }

  /** End of the output that is drawn. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes of output that the screen lacks, since they were dropped before it was drawn, as on a full disk. */
  get missing(): number {
    return this.#missing;
  }

  /** Set once the screen is given up: a look fails, output and input continue. */
  get failure(): ScreenFailure | undefined {
    return this.#failure;
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    if (this.#model !== undefined) this.#thread.resize(this.#model, size.cols, size.rows);
  }

  /**
   * The screen with all output of this moment drawn.
   * @throws SandboxError `conflict` if the screen is given up, `unavailable` if drawing takes long, `too_large`
   */
  async look(format: ScreenFormat, signal: AbortSignal): Promise<ScreenLook & { readonly offset: number }> {
    const { end } = this.#history;
    const late = AbortSignal.timeout(LOOK_MS);
    await this.reach(end, AbortSignal.any([signal, late]));
    if (late.aborted && this.#offset < end && this.#failure === undefined) {
      const hint = 'try again later, or read the output itself';
      throw new SandboxError('unavailable', `the screen is ${end - this.#offset} bytes behind the output`, { hint });
    }
    return this.lookNow(format);
  }

  /** The screen as it is drawn so far, up to `offset`. @throws SandboxError as `look` */
  async lookNow(format: ScreenFormat): Promise<ScreenLook & { readonly offset: number }> {
    this.#requireScreen();
    this.follow();
    return this.#inTurn(async () => {
      this.#requireScreen();
      const model = this.#opened();
      const offset = this.#offset;
      const look = await this.#thread.look(model, format);
      this.#requireScreen();
      // The thread died during this look.
      if (look === undefined) throw new SandboxError('unavailable', 'the screen is being redrawn');
      if (!look.isCut) {
        workOnAnswer(look.output.length)[Symbol.dispose]();
        return { ...look, offset };
      }
      throw new SandboxError('too_large', 'the screen is too large in this format', { hint: 'use format=text' });
    });
  }

  /** Resolves when the output before `offset` is drawn, or the signal fired. */
  async reach(offset: number, signal: AbortSignal): Promise<void> {
    this.#hurried += 1;
    this.#hurry.wake();
    try {
      // What a model had drawn is lost with its thread.
      while (this.#isBehind(offset) && !this.#stop.signal.aborted && !signal.aborted) {
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
    if (this.#failure !== undefined) return;
    if (this.#running === undefined) this.#running = this.#begin().catch(this.#failed);
    else if (this.#stale) this.#opened();
  }

  /** A model costs as much time as the start of a shell, so the first output of the shell comes before it. */
  async #begin(): Promise<void> {
    await this.#history.advanced(this.#offset, this.#stop.signal);
    await this.#gather(GATHER_MS);
    if (!this.#stop.signal.aborted && this.#failure === undefined) this.#opened();
  }

  #isBehind(offset: number): boolean {
    return this.#failure === undefined && (this.#stale || this.#offset < offset);
  }

  #requireScreen(): void {
    if (this.#failure === undefined) return;
    const hint = 'input and output go on: read the output, or open another terminal';
    throw new SandboxError('conflict', `the terminal has no screen: ${REASONS[this.#failure]}`, { hint });
  }

  #giveUp(failure: ScreenFailure): void {
    this.#failure = failure;
    this.#gaveUp(failure);
    this.#drawn.wake();
  }

  get #stale(): boolean {
    return this.#model !== undefined && !this.#thread.has(this.#model);
  }

  /** Opens a model if none exists or its thread died; it begins with the oldest output that is kept. */
  #opened(): number {
    if (this.#model !== undefined && !this.#stale) return this.#model;
    this.#model = this.#thread.open(this.#size, (failure) => this.#giveUp(failure));
    this.#offset = this.#history.first;
    // Without any output that is kept: what began with nothing lacks all.
    this.#missing = this.#offset === this.#history.end ? this.#offset : 0;
    this.#running = this.#run(this.#model).catch(this.#failed);
    return this.#model;
  }

  async #run(model: number): Promise<void> {
    const { signal } = this.#stop;
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    while (!signal.aborted && this.#thread.has(model)) {
      const { offset, bytes, isOver } = await this.#history.read(this.#offset, PIECE_BYTES, buffer);
      this.#missing += Math.max(0, offset - this.#offset);
      if (bytes.length === 0) {
        this.#offset = Math.max(this.#offset, offset);
        // Bytes that were dropped are not drawn, and not waited for either.
        this.#drawn.wake();
        if (isOver) break;
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

  /** Waits for more output, up to that many milliseconds, or until a call waits for the screen. */
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
