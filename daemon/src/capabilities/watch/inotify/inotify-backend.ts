import type { Logger } from '@sandbox/program/logger.ts';
import { InotifyFailure, InotifyReader } from '../../../core/process/keeper/inotify-reader.ts';
import type { ChangeSink } from '../change.ts';
import type { WatchBackend, WatchTerms } from '../watch-backend.ts';
import { asWatchFailure } from '../watch-limits.ts';
import { InotifyWatch } from './inotify-watch.ts';

/** Milliseconds until the next attempt to start a reader after a failed one. */
const RETRY_MS = 1000;

interface Held {
  readonly terms: WatchTerms;
  readonly sink: ChangeSink;
  current: InotifyWatch | undefined;
  retry: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

/** Watches through inotify, with one reader process for all watches, which runs while there are any. */
export class InotifyBackend implements WatchBackend {
  readonly name = 'inotify';
  readonly promises = { everything: true } as const;
  readonly #program: string;
  readonly #logger: Logger;
  readonly #held = new Set<Held>();
  #reader: InotifyReader | undefined;

  constructor(program: string, logger: Logger) {
    this.#program = program;
    this.#logger = logger;
  }

  /** Directories that all watches together watch now. */
  get directories(): number {
    return this.#reader?.watches ?? 0;
  }

  /** Process id of the reader; undefined while none runs. */
  get readerPid(): number | undefined {
    return this.#reader?.pid;
  }

  async watch(terms: WatchTerms, sink: ChangeSink): Promise<AsyncDisposable> {
    const held: Held = { terms, sink, current: undefined, retry: undefined, isClosed: false };
    this.#held.add(held);
    try {
      await this.#open(held);
    } catch (error) {
      await this.#close(held);
      throw asWatchFailure(error);
    }
    return { [Symbol.asyncDispose]: () => this.#close(held) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const held = [...this.#held];
    this.#held.clear();
    await this.#endReader();
    await Promise.all(held.map((one) => this.#close(one)));
  }

  async #open(held: Held): Promise<void> {
    if (this.#reader === undefined || this.#reader.isGone) {
      this.#reader = new InotifyReader(this.#program, (err) =>
        this.#logger.error({ err }, 'a frame of the inotify reader could not be handled'),
      );
    }
    const reader = this.#reader;
    let isOpen = false;
    // The end of a reader that did not watch yet is an error of this call: another one would end at once as well.
    const watch = new InotifyWatch(reader, held.terms, held.sink, () => {
      if (isOpen) this.#openAgain(held);
    });
    held.current = watch;
    await watch.open();
    if (reader.isGone) throw new InotifyFailure('EPIPE', 'the inotify reader has ended');
    isOpen = true;
  }

  async #close(held: Held): Promise<void> {
    held.isClosed = true;
    clearTimeout(held.retry);
    this.#held.delete(held);
    // Ending the reader ends all of its watches in one step.
    if (this.#held.size === 0) await this.#endReader();
    await held.current?.[Symbol.asyncDispose]();
    held.current = undefined;
  }

  async #endReader(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.[Symbol.asyncDispose]();
  }

  /** After the end of the reader: changes until another reader watches everything are reported as lost. */
  #openAgain(held: Held): void {
    const gone = held.current;
    held.current = undefined;
    void gone?.[Symbol.asyncDispose]();
    if (held.isClosed) return;
    if (this.#reader?.isFaulty && held.retry === undefined) {
      held.retry = setTimeout(() => this.#openAgain(held), RETRY_MS).unref();
      return;
    }
    held.retry = undefined;
    const report = (): void => {
      if (!held.isClosed) held.sink.lost('reader_restarted');
    };
    this.#open(held).then(report, (error: unknown) => {
      if (held.isClosed) return;
      report();
      this.#logger.error({ err: error }, 'the inotify reader cannot be restarted');
      held.retry = setTimeout(() => this.#openAgain(held), RETRY_MS).unref();
    });
  }
}
