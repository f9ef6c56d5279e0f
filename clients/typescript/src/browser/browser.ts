import { bytesOfAnswer } from '../core/body.ts';
import { type Camel, camel } from '../core/camel.ts';
import type { Call, Transport } from '../core/transport.ts';
import type * as wire from '../wire.ts';
import { SHAPES } from '../wire.ts';

export type Snapshot = Camel<wire.BrowserSnapshot>;
export type Arrival = Camel<wire.BrowserArrival>;

interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

/** An element: a reference of a snapshot, or a CSS selector. */
export type Target = { readonly ref: string } | { readonly selector: string };

export interface PictureOptions extends Waiting {
  readonly format?: 'png' | 'jpeg' | undefined;
  readonly fullPage?: boolean | undefined;
}

/** The browser of the sandbox. */
export class Browser {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Opens an address in a new tab and waits until it is loaded. */
  async open(url: string, options: Waiting = {}): Promise<Page> {
    const { signal } = options;
    const json = {};
    const tab = await this.#transport.data('/v2/browser/tabs', 'BrowserTab', { method: 'POST', json, signal });
    const page = new Page(this.#transport, tab.tab_id);
    await page.navigate(url, options);
    return page;
  }

  /** The page that was shown last is the first. */
  async pages(options: Waiting = {}): Promise<Page[]> {
    const shape = { data: [SHAPES.BrowserTab] as const };
    const { data } = await this.#transport.json<{ readonly data: readonly wire.BrowserTab[] }>(
      '/v2/browser/tabs',
      shape,
      options,
    );
    const shown = [...data].sort((a, b) => Number(b.active) - Number(a.active));
    return shown.map(({ tab_id }) => new Page(this.#transport, tab_id));
  }
}

/** A tab. Disposed, it is closed. */
export class Page implements AsyncDisposable {
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  async navigate(url: string, options: Waiting = {}): Promise<Arrival> {
    return camel(await this.#post('navigate', 'BrowserArrival', { url }, options, true));
  }

  /** The page as text with references to its elements. */
  async snapshot(options: Waiting = {}): Promise<Snapshot> {
    return camel(await this.#post('snapshot', 'BrowserSnapshot', {}, options, true));
  }

  async click(target: Target | { readonly x: number; readonly y: number }, options: Waiting = {}): Promise<void> {
    await this.#act('click', target, options);
  }

  /** Fills a field, chooses an option, sets a checkbox. */
  async fill(target: Target, value: string | number | boolean, options: Waiting = {}): Promise<void> {
    await this.#act('fill', { ...target, value }, options);
  }

  /** The value of an expression of JavaScript in the page. */
  async evaluate<T = unknown>(expression: string, options: Waiting = {}): Promise<T> {
    return (await this.#post('evaluate', 'BrowserEvaluated', { expression }, options)).result as T;
  }

  /** The bytes of a picture. */
  async screenshot({ format, fullPage, signal }: PictureOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const call: Call = { query: { format, full_page: fullPage, tab_id: this.id, target: 'page' }, signal };
    return await this.#transport.call('/v2/browser/screenshot', call, bytesOfAnswer);
  }

  async close({ signal }: Waiting = {}): Promise<void> {
    await this.#transport.send(`/v2/browser/tabs/${encodeURIComponent(this.id)}`, { method: 'DELETE', signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #post<Name extends keyof wire.Checked>(
    action: string,
    name: Name,
    fields: object,
    { signal }: Waiting,
    repeatable = false,
  ): Promise<wire.Checked[Name]> {
    const json = { ...fields, tab_id: this.id };
    return await this.#transport.data(`/v2/browser/${action}`, name, { method: 'POST', json, signal, repeatable });
  }

  async #act(action: string, fields: object, { signal }: Waiting): Promise<void> {
    const json = { ...fields, tab_id: this.id };
    await this.#transport.send(`/v2/browser/${action}`, { method: 'POST', json, signal });
  }
}
