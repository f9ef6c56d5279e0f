import { randomUUID } from 'node:crypto';
import { Waiters, waitFor } from '@sandbox/api/wait.ts';
import { type Message, streamRetention, Wire } from './protocol/message.ts';
import { type SocketEvents, type SocketKind, ZmtpSocket } from './zmtp/zmtp-socket.ts';

/** The numbers that stand for ports in a connection file: the sockets are `<ip>-<number>`. */
export const PORTS = { shell: 1, iopub: 2, stdin: 3, control: 4, heartbeat: 5 } as const;
type Channel = keyof typeof PORTS;

/** Milliseconds without an answer after which a question is asked again while a kernel starts. */
const ASK_AGAIN_MS = 25;

/** Where the sockets of a kernel are, and what signs its messages. */
export interface KernelConnection {
  /** The sockets are `<path>-1` to `<path>-5`. */
  readonly path: string;
  readonly key: string;
  /** By which the kernel knows this client, also after a restart of the daemon. */
  readonly identity: string;
}

/** What arrives without having been asked for. */
export interface KernelEvents {
  readonly published: (message: Message) => void;
  /** The kernel asks for input; undefined: in a message that is not understood. */
  readonly inputRequested: (request: Message | undefined) => void;
  readonly closed: () => void;
}

/** A client of one kernel: shell, control, stdin, iopub and heartbeat. */
export class KernelClient implements Disposable {
  readonly wire: Wire;
  readonly #sockets = new Map<Channel, ZmtpSocket>();
  readonly #replies = new Map<string, (reply: Message) => void>();
  readonly #beats = new Waiters();
  readonly #published = new Waiters();
  #events: KernelEvents | undefined;

  private constructor(key: string) {
    this.wire = new Wire(key);
  }

  /**
   * Connects as soon as the kernel listens, and waits until it publishes to this client.
   * @throws Error if it does not in time, or the signal fires
   */
  static async connect(
    connection: KernelConnection,
    bounds: { ms: number; signal: AbortSignal },
  ): Promise<KernelClient> {
    const client = new KernelClient(connection.key);
    try {
      await client.#connectAll(connection, bounds);
      return client;
    } catch (error) {
      client[Symbol.dispose]();
      throw error;
    }
  }

  /** From now on events go there. */
  listen(events: KernelEvents): void {
    this.#events = events;
  }

  send(channel: 'shell' | 'control' | 'stdin', msgId: string, type: string, content: object): void {
    this.#sockets.get(channel)?.send(this.wire.encode(msgId, type, content));
  }

  /** Calls `handle` with the reply to a message; disposing the answer ends that. */
  onReply(msgId: string, handle: (reply: Message) => void): Disposable {
    this.#replies.set(msgId, handle);
    return { [Symbol.dispose]: () => void this.#replies.delete(msgId) };
  }

  /** The reply to a request; undefined if it does not come within `ms`. */
  async request(channel: 'shell' | 'control', type: string, content: object, ms: number): Promise<Message | undefined> {
    const msgId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Message>();
    using _listening = this.onReply(msgId, resolve);
    this.send(channel, msgId, type, content);
    return (await waitFor(promise, { ms })) === 'settled' ? await promise : undefined;
  }

  /** Whether the kernel's heartbeat answers; it does so while a cell runs. */
  async beats(ms: number): Promise<boolean> {
    const beat = this.#beats.next({ ms });
    this.#sockets.get('heartbeat')?.send([Buffer.alloc(0), Buffer.from('ping')]);
    return (await beat) === 'settled';
  }

  /**
   * Waits until the kernel publishes to this client: a subscription takes effect some time after it was sent. While
   * a cell runs, kernels with a thread for it answer on `control` alone.
   * @throws Error if it does not within `ms`
   */
  async awaitPublished(channel: 'shell' | 'control', ms: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + ms;
    for (;;) {
      const published = this.#published.next({ ms: ASK_AGAIN_MS, signal });
      this.send(channel, randomUUID(), 'kernel_info_request', {});
      if ((await published) === 'settled') return;
      signal.throwIfAborted();
      if (performance.now() > deadline) throw new Error('the kernel does not answer');
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets.values()) socket[Symbol.dispose]();
  }

  async #connectAll(connection: KernelConnection, bounds: { ms: number; signal: AbortSignal }): Promise<void> {
    // A kernel listens for its heartbeat last, so that one socket is tried until it is there, not five.
    await this.#connect(connection, 'heartbeat', 'REQ', bounds, () => this.#beats.wake());
    await Promise.all([
      this.#connect(connection, 'shell', 'DEALER', bounds, (frames) => this.#answered(frames)),
      this.#connect(connection, 'control', 'DEALER', bounds, (frames) => this.#answered(frames)),
      this.#connect(connection, 'stdin', 'DEALER', bounds, (frames) =>
        this.#events?.inputRequested(this.wire.decode(frames)),
      ),
      this.#connect(connection, 'iopub', 'SUB', bounds, (frames, dropped) => this.#publish(frames, dropped)),
    ]);
    this.#sockets.get('iopub')?.subscribe();
  }

  async #connect(
    { path, identity }: KernelConnection,
    channel: Channel,
    kind: SocketKind,
    bounds: { ms: number; signal: AbortSignal },
    message: SocketEvents['message'],
  ): Promise<void> {
    const events: SocketEvents = {
      message,
      closed: () => this.#events?.closed(),
    };
    const terms = {
      kind,
      events,
      ...(kind === 'DEALER' && { identity }),
      ...(kind === 'SUB' && { retention: streamRetention }),
    };
    this.#sockets.set(channel, await ZmtpSocket.connect(`${path}-${PORTS[channel]}`, terms, bounds));
  }

  #answered(frames: readonly Buffer[]): void {
    const reply = this.wire.decode(frames);
    if (reply?.parent.msg_id !== undefined) this.#replies.get(reply.parent.msg_id)?.(reply);
  }

  #publish(frames: readonly Buffer[], droppedBytes: number): void {
    const message = droppedBytes > 0 ? this.wire.decodeCut(frames) : this.wire.decode(frames);
    if (message === undefined) return;
    this.#published.wake();
    this.#events?.published(message);
  }
}
