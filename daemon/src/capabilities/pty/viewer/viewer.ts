import { setImmediate as nextTurn } from 'node:timers/promises';
import { SandboxError } from '../../../core/errors.ts';
import { incompleteTail } from '../../../core/output/text-slice.ts';
import type { PtySession } from '../session/session.ts';
import { type FromViewer, parseMessage, type ToViewer } from './viewer-messages.ts';

/** Bytes that are sent at once. */
const PIECE_BYTES = 64 * 1024;
/** Bytes that may wait in the daemon for a viewer to take them. */
const BUFFERED_BYTES = 256 * 1024;
/** A viewer that was this far behind when it could go on is told so. */
const BEHIND_BYTES = 256 * 1024;
/** Bytes that a viewer which acknowledges may have outstanding. */
const WINDOW_BYTES = 1024 * 1024;
/** Milliseconds that the screen may take to come up to date before it is painted as it is; the rest follows as output. */
const REPAINT_MS = 250;
/** Milliseconds between two `ping` messages, by which a page that sees no frames of the protocol knows that we are there. */
export const PING_MS = 20_000;
/** Bytes of history that a viewer who asks for nothing sees first. */
const DEFAULT_REPLAY_BYTES = 256 * 1024;

/** How a viewer is reached. */
export interface ViewerPort {
  readonly gone: AbortSignal;
  readonly buffered: number;
  sendText(text: string): void;
  sendBytes(bytes: Uint8Array, sent: () => void): void;
  drained(): Promise<void>;
  onMessage(handle: (bytes: Buffer, isText: boolean) => Promise<void>): void;
  close(code: number, reason: string): void;
}

export interface ViewerOptions {
  readonly protocol: 'json' | 'binary';
  readonly backend: string;
  readonly readonly: boolean;
  /** Begin with what draws the screen as it is now; with `replayBytes`, with so much of the history. */
  readonly restore: boolean;
  readonly replayBytes?: number | undefined;
  /** Go on from this offset. */
  readonly since?: number | undefined;
}

/** One who looks at a session, and types if allowed. It reads the history at its own pace: nobody waits for it. */
export class Viewer {
  readonly #session: PtySession;
  readonly #port: ViewerPort;
  readonly #options: ViewerOptions;
  #offset = 0;
  /** Read into in turn; what is on its way out is none of them. */
  readonly #buffers: Buffer[] = [];
  #paused: PromiseWithResolvers<void> | undefined;
  #acknowledged: number | undefined;
  #acknowledging = Promise.withResolvers<void>();

  constructor(session: PtySession, port: ViewerPort, options: ViewerOptions) {
    this.#session = session;
    this.#port = port;
    this.#options = options;
  }

  /** Serves it until the session or the connection ends. */
  async serve(): Promise<void> {
    using _attached = this.#session.attach();
    this.#port.onMessage((bytes, isText) => this.#receive(bytes, isText));
    this.#port.gone.addEventListener('abort', () => this.#release(), { once: true });
    const pings = setInterval(() => this.#send({ type: 'ping', timestamp: Date.now() }), PING_MS).unref();
    this.#port.gone.addEventListener('abort', () => clearInterval(pings), { once: true });
    await this.#begin();
    await this.#relay();
    clearInterval(pings);
    if (this.#port.gone.aborted) return;
    const { exitCode, signal } = this.#session.record;
    this.#send({ type: 'exit', exit_code: exitCode, signal });
    this.#port.close(1000, 'the session has ended');
  }

  async #begin(): Promise<void> {
    const { history } = this.#session;
    const { restore, replayBytes, since } = this.#options;
    if (restore && since === undefined && replayBytes === undefined) return this.#repaint();
    this.#offset = Math.max(history.first, history.end - (replayBytes ?? DEFAULT_REPLAY_BYTES), 0);
    if (since !== undefined) this.#offset = Math.min(since, history.end);
    const restored = restore && since === undefined ? await this.#replay() : undefined;
    this.#ready();
    if (restored !== undefined) this.#send({ type: 'restore_output', data: restored });
  }

  async #repaint(): Promise<void> {
    const { screen, history } = this.#session;
    await screen.reach(history.end, AbortSignal.any([this.#port.gone, AbortSignal.timeout(REPAINT_MS)]));
    const { output, offset } = await screen.lookNow('repaint');
    this.#offset = offset;
    this.#ready();
    this.#send({ type: 'restore_output', data: output });
  }

  /** The history from the offset up to now, as text. */
  async #replay(): Promise<string> {
    const { history } = this.#session;
    const to = history.end;
    const parts: Buffer[] = [];
    while (this.#offset < to) {
      const { offset, bytes } = await history.read(this.#offset, to - this.#offset);
      if (bytes.length === 0) break;
      parts.push(bytes);
      this.#offset = offset + bytes.length;
    }
    const all = Buffer.concat(parts);
    const cut = incompleteTail(all);
    this.#offset -= cut;
    return all.toString('utf8', 0, all.length - cut);
  }

  #ready(): void {
    const { id, record } = this.#session;
    const { protocol, backend, since, restore } = this.#options;
    const { cols, rows } = record;
    const resumed = since !== undefined || restore;
    this.#send({
      type: 'ready',
      session_id: id,
      transport: `websocket-${protocol}`,
      backend,
      resumed,
      cols,
      rows,
      offset: this.#offset,
    });
  }

  async #relay(): Promise<void> {
    const { history } = this.#session;
    const { gone } = this.#port;
    while (!gone.aborted) {
      if (await this.#held()) this.#sayResumed(history.first);
      const buffer = this.#buffers.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
      const { offset, bytes } = await history.read(this.#offset, PIECE_BYTES, buffer);
      if (gone.aborted) return;
      if (bytes.length === 0) {
        this.#buffers.push(buffer);
        if (history.closed) return;
        await history.advanced(this.#offset, gone);
        continue;
      }
      await this.#pass(bytes, offset, () => this.#buffers.push(buffer));
      // The gateway and the shell get their turn between two pieces.
      if (bytes.length === PIECE_BYTES) await nextTurn();
    }
  }

  async #pass(bytes: Buffer, offset: number, sent: () => void): Promise<void> {
    if (offset > this.#offset) this.#sayResumed(offset);
    const whole = this.#whole(bytes, offset);
    if (whole > 0) {
      this.#sendOutput(bytes.subarray(0, whole), offset, sent);
      return;
    }
    sent();
    await this.#session.history.advanced(offset + bytes.length, this.#port.gone);
  }

  /** How many of the bytes can be sent: JSON takes no half of a UTF-8 sequence while the other half may come. */
  #whole(bytes: Buffer, offset: number): number {
    if (this.#options.protocol === 'binary') return bytes.length;
    const cut = incompleteTail(bytes);
    const { history } = this.#session;
    return cut === bytes.length && history.closed && offset + bytes.length >= history.end ? cut : bytes.length - cut;
  }

  #sendOutput(bytes: Buffer, offset: number, sent: () => void): void {
    this.#offset = offset + bytes.length;
    if (this.#options.protocol === 'binary') {
      this.#port.sendBytes(bytes, sent);
      return;
    }
    const text = JSON.stringify(bytes.toString('utf8'));
    sent();
    this.#port.sendText(`{"type":"output","data":${text},"offset":${this.#offset}}`);
  }

  /** Waits while the viewer takes nothing; true where it is then far behind. */
  async #held(): Promise<boolean> {
    const { gone } = this.#port;
    let held = false;
    while (!gone.aborted) {
      if (this.#paused) await this.#paused.promise;
      else if (this.#port.buffered > BUFFERED_BYTES) await this.#port.drained();
      else if (this.#acknowledged !== undefined && this.#offset - this.#acknowledged > WINDOW_BYTES)
        await this.#acknowledging.promise;
      else break;
      held = true;
    }
    return held && this.#session.history.end - this.#offset > BEHIND_BYTES;
  }

  #sayResumed(first: number): void {
    this.#offset = Math.max(this.#offset, first);
    this.#send({ type: 'relay_resumed', offset: this.#offset });
  }

  async #receive(bytes: Buffer, isText: boolean): Promise<void> {
    try {
      const message =
        isText || this.#options.protocol === 'json' ? parseMessage(bytes) : { type: 'input' as const, bytes };
      await this.#obey(message);
    } catch (error) {
      const reason = error instanceof SandboxError ? error.message : 'the message could not be carried out';
      this.#send({ type: 'error', data: reason });
    }
  }

  async #obey(message: FromViewer): Promise<void> {
    switch (message.type) {
      case 'input':
        this.#requireWriter();
        return this.#session.write(message.bytes, this.#port.gone);
      case 'resize':
        this.#requireWriter();
        return this.#session.resize(message);
      case 'ping':
        return this.#send({ type: 'pong', timestamp: message.timestamp ?? Date.now() });
      case 'pause':
        this.#paused ??= Promise.withResolvers();
        return;
      case 'resume':
        return this.#resume();
      case 'ack':
        this.#acknowledged = Math.max(this.#acknowledged ?? 0, message.offset);
        return this.#tellAcknowledged();
      default:
    }
  }

  #requireWriter(): void {
    if (this.#options.readonly) throw new SandboxError('forbidden', 'this viewer is read-only');
  }

  #resume(): void {
    const paused = this.#paused;
    this.#paused = undefined;
    paused?.resolve();
  }

  #tellAcknowledged(): void {
    const acknowledging = this.#acknowledging;
    this.#acknowledging = Promise.withResolvers();
    acknowledging.resolve();
  }

  /** The connection is gone: nothing of it waits any longer. */
  #release(): void {
    this.#resume();
    this.#tellAcknowledged();
  }

  #send(message: ToViewer): void {
    this.#port.sendText(JSON.stringify(message));
  }
}
