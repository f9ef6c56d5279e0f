import { jsonOf, type Shape, shaped } from '../core/shape.ts';
import { Socket } from '../core/socket.ts';
import type { Transport } from '../core/transport.ts';

export type TerminalEvent =
  | { readonly type: 'output'; readonly bytes: Uint8Array /** Of the first byte. */; readonly offset: number }
  | { readonly type: 'lost' /** Of the next byte that is kept. */; readonly offset: number }
  | { readonly type: 'exit'; readonly exitCode: number | null; readonly signal: string | null };

/** A text message of the service. */
type Control =
  | { readonly type: 'ready' | 'relay_resumed'; readonly offset: number }
  | { readonly type: 'exit'; readonly exit_code: number | null; readonly signal: string | null }
  | { readonly type: 'error'; readonly data: string }
  | { readonly type: 'ping' | 'pong' | 'session_id' | 'restore_output' };

interface Range {
  readonly since?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes after which the service gets an acknowledgement; it sends 1 MiB without one. */
const ACK_BYTES = 256 * 1024;

/** The output of a terminal over connections that continue each other. */
export async function* terminalOutput(transport: Transport, id: string, range: Range): AsyncGenerator<TerminalEvent> {
  const { signal } = range;
  const path = `/v2/pty/sessions/${encodeURIComponent(id)}`;
  const attempts = transport.attempts(range);
  // Also the reason of a refusal, which the handshake of a WebSocket does not give.
  const { offset } = await transport.data(path, 'Terminal', { signal });
  const place = new TerminalPlace(range.since ?? offset);
  for (;;) {
    try {
      using socket = await Socket.open(transport, `${path}/ws`, place.query(), signal);
      for (;;) {
        const event = place.read(await socket.next(signal), socket);
        attempts.succeed();
        if (event) yield event;
        if (event?.type === 'exit') return;
      }
    } catch (error) {
      await transport.again(error, { signal }, attempts);
      await transport.send(path, { signal });
    }
  }
}

const CONTROLS: Readonly<Record<string, Shape>> = {
  ready: { offset: 'number' },
  relay_resumed: { offset: 'number' },
  exit: { exit_code: 'number|null', signal: 'string|null' },
  error: { data: 'string' },
};

/** @throws SandboxError for what no service sends */
function controlOf(message: string): Control {
  const control = shaped<{ readonly type: string }>(jsonOf(message), { type: 'string' }, 'a message');
  const shape = Object.hasOwn(CONTROLS, control.type) ? CONTROLS[control.type] : undefined;
  return shaped<Control>(control, shape ?? {}, control.type);
}

/** The next byte, and what the service knows of it. */
class TerminalPlace {
  #at: number;
  #acknowledged: number;

  constructor(at: number) {
    this.#at = at;
    this.#acknowledged = at;
  }

  query(): { readonly protocol: 'binary'; readonly since: number } {
    return { protocol: 'binary', since: this.#at };
  }

  read(message: string | Uint8Array, socket: Socket): TerminalEvent | undefined {
    if (typeof message === 'string') return this.#control(controlOf(message), socket);
    const offset = this.#at;
    this.#at += message.length;
    if (this.#at - this.#acknowledged > ACK_BYTES) this.#acknowledge(socket);
    return { type: 'output', bytes: message, offset };
  }

  #control(control: Control, socket: Socket): TerminalEvent | undefined {
    switch (control.type) {
      case 'ready':
        return this.#moveTo(control.offset, socket);
      case 'relay_resumed':
        return this.#moveTo(control.offset, socket);
      case 'exit':
        return { type: 'exit', exitCode: control.exit_code, signal: control.signal };
      case 'error':
        throw new Error(control.data);
      default:
        return undefined;
    }
  }

  #moveTo(offset: number, socket: Socket): TerminalEvent | undefined {
    const isLost = offset > this.#at;
    this.#at = offset;
    this.#acknowledge(socket);
    return isLost ? { type: 'lost', offset } : undefined;
  }

  #acknowledge(socket: Socket): void {
    this.#acknowledged = this.#at;
    socket.send(JSON.stringify({ type: 'ack', offset: this.#at }));
  }
}
