import { type Camel, camel } from '../core/camel.ts';
import { pause } from '../core/cancel.ts';
import { milliseconds } from '../core/clock.ts';
import { bytesOf, toBase64 } from '../core/encoding.ts';
import { ignoreNotFound, RequestFailed, SandboxError } from '../core/errors.ts';
import { notOfSandbox } from '../core/shape.ts';
import type { Transport } from '../core/transport.ts';
import type * as wire from '../wire.ts';
import { follow } from './follow.ts';
import { linesOf } from './lines.ts';
import type { CommandExit, OutputEvent, OutputStream } from './output.ts';

export type CommandInfo = Camel<wire.Command>;

export interface OutputRange {
  /** Of stdout; default 0. */
  readonly offset?: number | undefined;
  readonly stderrOffset?: number | undefined;
  /** Whether the events have `bytes`. */
  readonly bytes?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface LineRange {
  /** Byte of the stream to begin at; default 0. */
  readonly offset?: number | undefined;
  readonly stream?: OutputStream | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes of one call; the keeper holds at most 8 MiB for a command. */
const STDIN_PIECE = 256 * 1024;
/** Milliseconds between calls while the service can hold no more. */
const FULL_PAUSE_MS = 100;

/** A command that was started before. Disposed, it is killed with all its processes. */
export class Command implements AsyncDisposable {
  readonly id: string;
  readonly #transport: Transport;
  /** Bytes of stdin that the service holds; undefined: not asked yet. */
  #stdinOffset: number | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(transport: Transport, id: string, stdinOffset?: number) {
    this.#transport = transport;
    this.id = id;
    this.#stdinOffset = stdinOffset;
  }

  /** Its record now. */
  async info(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<CommandInfo> {
    const { command } = await this.#transport.data(this.#path(), 'CommandOutput', {
      ...options,
      query: { limit: 0 },
    });
    return camel(command);
  }

  /** Its output and its end, while it runs and afterwards; survives cut connections and restarts of the daemon. */
  output(range: OutputRange = {}): AsyncGenerator<OutputEvent> {
    const { offset = 0, stderrOffset = 0, bytes: hasBytes, signal } = range;
    return follow(this.#transport, { id: this.id, offset, stderrOffset, hasBytes, signal });
  }

  /** The lines of one stream without their ends. A line of more than 1 Mi characters arrives in pieces. */
  async *lines({ offset = 0, stream = 'stdout', signal }: LineRange = {}): AsyncGenerator<string> {
    const range = stream === 'stdout' ? { offset } : { stderrOffset: offset };
    yield* linesOf(this.output({ ...range, signal }), stream);
  }

  /** Waits for its end. Unlike `run`, it throws for no exit code. */
  async wait({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<CommandExit> {
    const far = Number.MAX_SAFE_INTEGER;
    for await (const event of this.output({ offset: far, stderrOffset: far, signal })) {
      if (event.type === 'exit') return event;
    }
    throw new SandboxError('the stream of the command has no end');
  }

  /** Writes to stdin, in the order of the calls, each byte once. Resolves when the service holds the bytes. */
  async write(data: string | Uint8Array, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const bytes = typeof data === 'string' ? bytesOf(data) : data;
    await this.#inTurn(async () => {
      for (let at = 0; at < bytes.length; at += STDIN_PIECE) {
        await this.#send(bytes.subarray(at, at + STDIN_PIECE), false, options.signal);
      }
    });
  }

  /** Closes stdin after what was written. */
  async closeInput(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    await this.#inTurn(() => this.#send(new Uint8Array(), true, options.signal));
  }

  /** Signals all its processes, also those that it left behind. Of an ended command it does nothing. */
  async kill(sent = 'SIGTERM', options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const repeatable = sent === 'SIGTERM' || sent === 'SIGKILL';
    const json = { signal: sent };
    await this.#transport.send(`${this.#path()}/kill`, { ...options, method: 'POST', json, repeatable });
  }

  /** Waits until something in the sandbox listens on the port, and returns its address. */
  async port(port: number, { timeout = 60, signal }: PortOptions = {}): Promise<string> {
    const end = milliseconds() + timeout * 1000;
    for (let ms = 100; ; ms = Math.min(ms * 1.5, 1000)) {
      const { occupied_ports } = await this.#transport.data('/v2/sandbox', 'SandboxInfo', { signal });
      if (occupied_ports.includes(port)) return this.url(port);
      const { status } = await this.info({ signal });
      if (status !== 'running' && status !== 'pending') {
        throw new SandboxError(`the command ended before port ${port} listened: ${status}`, {
          hint: 'read its output',
        });
      }
      if (milliseconds() > end) throw new SandboxError(`port ${port} does not listen after ${timeout} s`);
      await pause(ms, signal);
    }
  }

  /** The address of a port of the sandbox. */
  url(port: number): string {
    return `${this.#transport.settings.base}/proxy/${port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.kill();
      const end = await Promise.race([this.wait().then(() => true), pause(2000, undefined)]);
      if (end !== true) await this.kill('SIGKILL');
    } catch (error) {
      ignoreNotFound(error);
    }
  }

  #path(): string {
    return `/v2/commands/${encodeURIComponent(this.id)}`;
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#writing.then(work);
    this.#writing = turn.catch(() => undefined);
    await turn;
  }

  /** With its offset a call can be repeated: bytes that were taken are skipped. */
  async #send(bytes: Uint8Array, eof: boolean, signal: AbortSignal | undefined): Promise<void> {
    this.#stdinOffset ??= (await this.info({ signal })).stdinBytes;
    const end = this.#stdinOffset + bytes.length;
    do {
      const rest = bytes.subarray(bytes.length - (end - this.#stdinOffset));
      const taken = await this.#take(rest, this.#stdinOffset, eof, signal);
      if (taken < this.#stdinOffset) throw notOfSandbox('stdin became shorter');
      // The command reads nothing: it is waited for.
      if (taken === this.#stdinOffset && rest.length > 0) await pause(FULL_PAUSE_MS, signal);
      this.#stdinOffset = taken;
    } while (this.#stdinOffset < end);
  }

  /** Returns the bytes of stdin that the service holds. */
  async #take(bytes: Uint8Array, offset: number, eof: boolean, signal: AbortSignal | undefined): Promise<number> {
    const json = { input: toBase64(bytes), encoding: 'base64', offset, ...(eof && { eof }) };
    const call = { method: 'POST', json, repeatable: true, signal } as const;
    try {
      return (await this.#transport.data(`${this.#path()}/stdin`, 'CommandInputWritten', call)).stdin_bytes;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      if (error.status === 429) return offset;
      // A repeated call finds stdin closed by the first.
      const isTaken = error.status === 409 && (await this.info({ signal })).stdinBytes >= offset + bytes.length;
      if (isTaken) return offset + bytes.length;
      throw error;
    }
  }
}

export interface PortOptions {
  /** Seconds; default 60. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}
