import { type Camel, camel } from '../core/camel.ts';
import { pause } from '../core/cancel.ts';
import { ignoreNotFound } from '../core/errors.ts';
import type { Transport } from '../core/transport.ts';
import type * as wire from '../wire.ts';

export type FileChange = Camel<Omit<wire.WatchEvent, 'seq'>>;
/** Changes are missing before the next event: list the directory again. */
export interface WatchOverflow {
  readonly type: 'overflow';
}
export type WatchEvent = FileChange | WatchOverflow;

export interface WatchOptions {
  /** Default: true. */
  readonly recursive?: boolean | undefined;
  /** Milliseconds, from 50 to 5000; default 300. */
  readonly debounce?: number | undefined;
  /** Patterns as in .gitignore; replaces the default list. */
  readonly exclude?: readonly string[] | undefined;
  readonly include?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

type OnEvent = (event: WatchEvent) => void | Promise<void>;

const POLL_SECONDS = 30;
const PAGE = 1000;

/** Changes below a path, for a callback or a loop. Disposed, it ends. */
export class Watch implements AsyncDisposable, AsyncIterable<WatchEvent> {
  readonly #transport: Transport;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #end = new AbortController();
  readonly #onAbort = (): void => this.#end.abort();
  readonly #outer: AbortSignal | undefined;
  #id: string;
  #cursor: number;
  /** Settles at the end of the callback form; rejects with what ended it. */
  readonly ended: Promise<void>;

  private constructor(
    transport: Transport,
    body: Readonly<Record<string, unknown>>,
    created: wire.WatchCreated,
    onEvent: OnEvent | undefined,
    outer: AbortSignal | undefined,
  ) {
    this.#transport = transport;
    this.#body = body;
    this.#id = created.watcher_id;
    this.#cursor = created.initial_cursor;
    this.#outer = outer;
    outer?.addEventListener('abort', this.#onAbort, { once: true });
    this.ended = onEvent ? this.#deliver(onEvent) : Promise.resolve();
    // Who does not wait for it looks at nothing.
    this.ended.catch(() => undefined);
  }

  static async start(
    transport: Transport,
    path: string,
    onEvent: OnEvent | undefined,
    { recursive, debounce, exclude, include, signal }: WatchOptions,
  ): Promise<Watch> {
    const body = { path, recursive, debounce, exclude, include_patterns: include };
    return new Watch(transport, body, await create(transport, body, signal), onEvent, signal);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        const query = { cursor: this.#cursor, limit: PAGE, timeout: POLL_SECONDS };
        const page = await this.#transport.data(`/v2/watch/${encodeURIComponent(this.#id)}/poll`, 'WatchEvents', {
          query,
          signal,
        });
        this.#cursor = page.cursor;
        if (page.overflow) yield { type: 'overflow' };
        for (const { seq: _, ...event } of page.events) yield camel(event);
      } catch (error) {
        if (signal.aborted) return;
        ignoreNotFound(error);
        if (!(await this.#begin())) return;
        yield { type: 'overflow' };
      }
    }
  }

  /** Ends it; the callback is not called any more. */
  async close({ signal }: Pick<WatchOptions, 'signal'> = {}): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    this.#outer?.removeEventListener('abort', this.#onAbort);
    await this.#transport
      .send(`/v2/watch/${encodeURIComponent(this.#id)}`, { method: 'DELETE', signal })
      .catch(ignoreNotFound);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #deliver(onEvent: OnEvent): Promise<void> {
    for await (const event of this) await onEvent(event);
  }

  /** The daemon was restarted and knows no watcher. The path may be created again only later. Returns false when the watch ends. */
  async #begin(): Promise<boolean> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        const created = await create(this.#transport, this.#body, signal);
        this.#id = created.watcher_id;
        this.#cursor = created.initial_cursor;
        return true;
      } catch (error) {
        if (signal.aborted) break;
        ignoreNotFound(error);
        await pause(1000, signal).catch(() => undefined);
      }
    }
    return false;
  }
}

function create(transport: Transport, json: unknown, signal: AbortSignal | undefined): Promise<wire.WatchCreated> {
  return transport.data('/v2/watch', 'WatchCreated', { method: 'POST', json, signal, repeatable: true });
}
