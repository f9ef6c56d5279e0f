import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { ClientPort } from '../../../core/connection/client-port.ts';
import { incompleteTail } from '../../../core/output/text-slice.ts';
import { endFields } from '../session/end-fields.ts';
import type { PtySession } from '../session/session.ts';
import { OutputRelay } from './output-relay.ts';
import { ViewerFlow } from './viewer-flow.ts';
import { type FromViewer, parseMessage, type ToViewer } from './viewer-messages.ts';

/** Milliseconds to wait until the screen has drawn all output; output that it has not drawn follows the repaint. */
const REPAINT_MS = 250;
/** Milliseconds between two `ping` messages; a web page cannot see the pings of the WebSocket protocol. */
export const PING_MS = 20_000;
/** Bytes of history that a viewer sees first by default. */
const DEFAULT_REPLAY_BYTES = 256 * 1024;

export interface ViewerOptions {
  readonly protocol: 'json' | 'binary';
  readonly backend: string;
  readonly readonly: boolean;
  /** Begin with output that draws the screen; with `replayBytes`, with that much of the history. */
  readonly restore: boolean;
  readonly replayBytes?: number | undefined;
  /** Go on from this offset. */
  readonly since?: number | undefined;
}

/** A client that sees the output of a session and may type. A slow viewer delays no other and no program. */
export class Viewer {
  readonly #session: PtySession;
  readonly #port: ClientPort;
  readonly #options: ViewerOptions;
  readonly #flow: ViewerFlow;

  constructor(session: PtySession, port: ClientPort, options: ViewerOptions) {
    this.#session = session;
    this.#port = port;
    this.#options = options;
    this.#flow = new ViewerFlow(port);
  }

  /** Serves the viewer until the session or the connection ends. */
  async serve(): Promise<void> {
    using _attached = this.#session.attach();
    this.#port.onMessage((bytes, isText) => this.#receive(bytes, isText));
    const pings = setInterval(() => this.#send({ type: 'ping', timestamp: Date.now() }), PING_MS).unref();
    try {
      const relay = new OutputRelay(this.#session.history, this.#port, this.#flow, this.#options.protocol);
      await relay.run(await this.#begin());
    } finally {
      clearInterval(pings);
    }
    if (this.#port.gone.aborted) return;
    const { record } = this.#session;
    this.#send({ type: 'exit', exit_code: record.exitCode, ...endFields(record) });
    this.#port.close(1000, 'the session has ended');
  }

  /** Sends `ready` and, if asked, the screen or the history; answers the offset from which output follows. */
  async #begin(): Promise<number> {
    const { history } = this.#session;
    const { restore, replayBytes, since } = this.#options;
    if (since !== undefined) return this.#ready(Math.min(since, history.end));
    if (restore && replayBytes === undefined) {
      const repainted = await this.#repaint();
      if (repainted !== undefined) return repainted;
    }
    const first = Math.max(history.first, history.end - (replayBytes ?? DEFAULT_REPLAY_BYTES), 0);
    if (!restore || replayBytes === undefined) return this.#ready(first);
    const { text, offset } = await this.#replay(first);
    this.#ready(offset);
    this.#send({ type: 'restore_output', data: text });
    return offset;
  }

  /** Undefined if the terminal has no screen: the history takes its place. */
  async #repaint(): Promise<number | undefined> {
    const { screen, history } = this.#session;
    await screen.reach(history.end, AbortSignal.any([this.#port.gone, AbortSignal.timeout(REPAINT_MS)]));
    const look = await screen.lookNow('repaint').catch(withoutScreen);
    if (look === undefined) return undefined;
    const { output, offset } = look;
    this.#ready(offset);
    this.#send({ type: 'restore_output', data: output });
    return offset;
  }

  /** The history from `first` up to now as text, and the offset after it. */
  async #replay(first: number): Promise<{ readonly text: string; readonly offset: number }> {
    const { history } = this.#session;
    const to = history.end;
    const parts: Buffer[] = [];
    let at = first;
    while (at < to) {
      const { offset, bytes } = await history.read(at, to - at);
      if (bytes.length === 0) break;
      parts.push(bytes);
      at = offset + bytes.length;
    }
    const all = Buffer.concat(parts);
    const cut = incompleteTail(all);
    return { text: all.toString('utf8', 0, all.length - cut), offset: at - cut };
  }

  #ready(offset: number): number {
    const { id, record } = this.#session;
    const { protocol, backend, since, restore } = this.#options;
    this.#send({
      type: 'ready',
      session_id: id,
      transport: `websocket-${protocol}`,
      backend,
      resumed: since !== undefined || restore,
      cols: record.cols,
      rows: record.rows,
      offset,
    });
    return offset;
  }

  async #receive(bytes: Buffer, isText: boolean): Promise<void> {
    try {
      const message =
        isText || this.#options.protocol === 'json' ? parseMessage(bytes) : { type: 'input' as const, bytes };
      await this.#handle(message);
    } catch (error) {
      const reason = error instanceof SandboxError ? error.message : 'the message could not be carried out';
      this.#send({ type: 'error', data: reason });
    }
  }

  async #handle(message: FromViewer): Promise<void> {
    switch (message.type) {
      case 'input':
        this.#requireWriter();
        return this.#session.typeKeys(message.bytes, this.#port.gone);
      case 'resize':
        this.#requireWriter();
        return this.#session.resizeSoon({ cols: message.cols, rows: message.rows });
      case 'ping':
        return this.#send({ type: 'pong', timestamp: message.timestamp ?? Date.now() });
      case 'pause':
        return this.#flow.pause();
      case 'resume':
        return this.#flow.resume();
      case 'ack':
        return this.#flow.acknowledge(message.offset);
      default:
    }
  }

  #requireWriter(): void {
    if (this.#options.readonly) throw new SandboxError('forbidden', 'this viewer is read-only');
  }

  #send(message: ToViewer): void {
    this.#port.sendText(JSON.stringify(message));
  }
}

function withoutScreen(error: unknown): undefined {
  if (!(error instanceof SandboxError)) throw error;
}
