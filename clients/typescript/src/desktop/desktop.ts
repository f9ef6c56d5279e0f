import { bytesOfAnswer } from '../core/body.ts';
import { type Camel, camel } from '../core/camel.ts';
import { SandboxError } from '../core/errors.ts';
import type { Call, Transport } from '../core/transport.ts';
import type * as wire from '../wire.ts';

export type Recording = Camel<wire.RecordResult>;

interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The desktop of the sandbox. An action whose connection is cut is not repeated. */
export class Desktop {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async screenshot(
    options: Waiting & { readonly format?: 'png' | 'jpeg'; readonly scale?: number } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { signal, ...query } = options;
    return await this.#transport.call('/v2/computer/screenshot', { query, signal } satisfies Call, bytesOfAnswer);
  }

  async click(
    at: Point & { readonly button?: 'left' | 'right' | 'middle'; readonly count?: number },
    options: Waiting = {},
  ): Promise<void> {
    const { x, y, button, count } = at;
    await this.act({ action_type: 'CLICK', x, y, button, num_clicks: count }, options);
  }

  async move({ x, y }: Point, options: Waiting = {}): Promise<void> {
    await this.act({ action_type: 'MOVE_TO', x, y }, options);
  }

  /** From the position of the pointer. */
  async drag({ x, y }: Point, options: Waiting = {}): Promise<void> {
    await this.act({ action_type: 'DRAG_TO', x, y }, options);
  }

  /** Notches to the right and down. */
  async scroll(dx: number, dy: number, options: Waiting = {}): Promise<void> {
    await this.act({ action_type: 'SCROLL', dx, dy }, options);
  }

  async type(text: string, options: Waiting = {}): Promise<void> {
    await this.act({ action_type: 'TYPING', text }, options);
  }

  /** Keys at once, such as `['ctrl', 'c']`. */
  async press(keys: readonly string[], options: Waiting = {}): Promise<void> {
    await this.act({ action_type: 'HOTKEY', keys }, options);
  }

  /** Any action of `POST /v2/computer/actions`. @throws SandboxError if it failed */
  async act(action: Readonly<Record<string, unknown>>, { signal }: Waiting = {}): Promise<void> {
    const call: Call = { method: 'POST', json: action, signal };
    const answer = await this.#transport.json<{ success: boolean; message: string; hint: string | null }>(
      '/v2/computer/actions',
      { success: 'boolean', message: 'string', hint: 'string|null' },
      call,
    );
    if (!answer.success) throw new SandboxError(answer.message, { hint: answer.hint });
  }

  /** Text of the clipboard. */
  async clipboard(options: Waiting = {}): Promise<string> {
    return (await this.#transport.data('/v2/computer/clipboard', 'ComputerClipboard', options)).text;
  }

  /** Starts to record the display to a file of the sandbox, looks at the recording, or ends it. */
  async record(
    action: 'start' | 'status' | 'stop',
    options: Waiting & { readonly path?: string } = {},
  ): Promise<Recording> {
    const call: Call = { method: 'POST', json: { action, save_path: options.path }, signal: options.signal };
    return camel(await this.#transport.data('/v2/computer/record', 'RecordResult', call));
  }
}
