import { type Camel, camel } from '../core/camel.ts';
import { bytesOf, toBase64 } from '../core/encoding.ts';
import { ignoreNotFound, RequestFailed } from '../core/errors.ts';
import { randomId } from '../core/random-id.ts';
import type { Transport } from '../core/transport.ts';
import type * as wire from '../wire.ts';
import { type TerminalEvent, terminalOutput } from './output.ts';

export type Screen = Camel<wire.TerminalScreen>;
export type ExecResult = Camel<wire.TerminalExecResult>;

export interface TerminalOptions {
  /** A terminal with this id is attached to if it exists; default: a new one that ends when it is idle for long. */
  readonly id?: string | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  /** A program instead of the shell of the account. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

/** A terminal of the sandbox. Disposed, it is closed with what runs in it. */
export class Terminal implements AsyncDisposable {
  readonly id: string;
  readonly #transport: Transport;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  /** Opens a terminal. A repeated call finds that of the first one, whose id it has. */
  static async open(transport: Transport, options: TerminalOptions): Promise<Terminal> {
    const { signal, id, user = transport.settings.user, ...rest } = options;
    const json = { id: id ?? randomId(), user, ...rest, ...(id === undefined && { retention: 'expiring' }) };
    try {
      await transport.send('/v2/pty/sessions', { method: 'POST', json, signal, repeatable: true });
    } catch (error) {
      if (!(error instanceof RequestFailed && error.status === 409)) throw error;
    }
    return new Terminal(transport, json.id);
  }

  /** Types, in the order of the calls. @throws OutcomeUnknown after a cut: the text may have been typed */
  async write(text: string | Uint8Array, options: Waiting = {}): Promise<void> {
    const bytes = typeof text === 'string' ? bytesOf(text) : text;
    const json = { input: toBase64(bytes), encoding: 'base64' };
    const turn = this.#writing.then(() => this.#post('input', json, options));
    this.#writing = turn.catch(() => undefined);
    await turn;
  }

  /** Its output from a byte on, by default from now on, to its end; over any number of connections. */
  output(options: Waiting & { readonly since?: number | undefined } = {}): AsyncGenerator<TerminalEvent> {
    return terminalOutput(this.#transport, this.id, options);
  }

  /** What a person would see. `wait`: seconds to wait for output that is newer than this call. */
  async screen(
    options: Waiting & { readonly wait?: number; readonly format?: 'text' | 'ansi' | 'html' } = {},
  ): Promise<Screen> {
    const { signal, ...query } = options;
    return camel(await this.#transport.data(`${this.#path()}/screen`, 'TerminalScreen', { query, signal }));
  }

  /** Runs a command in the shell itself, whose directory and variables stay. `timeout` ends it. */
  async exec(command: string, options: Waiting & { readonly timeout?: number } = {}): Promise<ExecResult> {
    const json = { command, hard_timeout: options.timeout };
    const call = { method: 'POST', json, signal: options.signal, silence: Number.POSITIVE_INFINITY } as const;
    return camel(await this.#transport.data(`${this.#path()}/exec`, 'TerminalExecResult', call));
  }

  async resize(cols: number, rows: number, options: Waiting = {}): Promise<void> {
    const call = { method: 'PATCH', json: { cols, rows }, repeatable: true, ...options } as const;
    await this.#transport.send(this.#path(), call);
  }

  /** To the program in the foreground. */
  async signal(name: string, options: Waiting = {}): Promise<void> {
    await this.#post('signal', { signal: name }, options);
  }

  async info(options: Waiting = {}): Promise<Camel<wire.Terminal>> {
    return camel(await this.#transport.data(this.#path(), 'Terminal', options));
  }

  /** Ends it with what runs in it. */
  async close({ signal }: Waiting = {}): Promise<void> {
    await this.#transport.send(this.#path(), { method: 'DELETE', signal }).catch(ignoreNotFound);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #path(): string {
    return `/v2/pty/sessions/${encodeURIComponent(this.id)}`;
  }

  async #post(action: string, json: object, { signal }: Waiting): Promise<void> {
    await this.#transport.send(`${this.#path()}/${action}`, { method: 'POST', json, signal });
  }
}
