import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitFor } from '@sandbox/api/wait.ts';
import { EVENT, type FrameReader, FrameSplitter, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';

/** Milliseconds that a keeper may take to accept a connection and send WELCOME: it never waits for anything. */
const WELCOME_MS = 5000;
/** Parts of a deadline: a daemon that was itself stopped for longer than one loses only this one. */
const DEADLINE_PARTS = 10;
/** Bytes that may wait for a keeper that does not read. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export const SILENT_HINT =
  'the process keeper is stopped or overloaded; what it holds runs on, so it is never ended automatically';

/** Attempts to connect to a keeper that closes the connection before WELCOME. */
const MAX_TRIES = 100;

export interface Welcome {
  readonly pid: number;
  /** Processes that run, or whose output is open. */
  readonly living: number;
  /** It ends only at SHUTDOWN or a signal: a supervisor starts it. */
  readonly supervised: boolean;
  /** Names the sources that it was built from. */
  readonly build: string;
}

export interface KeeperEvents {
  /** Any frame but WELCOME, in the order of their arrival. */
  readonly onFrame: (frame: FrameReader) => void;
  /** The keeper has ended, or another daemon has joined it. */
  readonly onClose: () => void;
  /** A frame could not be handled; `onClose` follows. */
  readonly onFault?: (error: unknown) => void;
}

/** The keeper closed the connection before WELCOME: it is ending, or another client has connected meanwhile. */
class TurnedAway extends Error {
  constructor(path: string) {
    super(`the keeper at ${path} closed the connection`);
    this.name = 'TurnedAway';
  }
}

/** The keeper does not answer, though it lives: it is stopped, or the machine is overloaded. */
export class SilentKeeper extends Error {
  constructor(path: string) {
    super(`the process keeper at ${path} does not answer`);
    this.name = 'SilentKeeper';
  }
}

/**
 * Ends a socket after `ms` of a running event loop. Timers are due before input is read: after a pause of this process,
 * one timer for the whole deadline would end a socket whose answer is already there.
 */
function destroyAfter(socket: Socket, ms: number, error: Error): Disposable {
  let parts = 0;
  const timer = setInterval(() => {
    parts++;
    if (parts === DEADLINE_PARTS) socket.destroy(error);
  }, ms / DEADLINE_PARTS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** A connection to the keeper of a runtime directory, after WELCOME. */
export class KeeperConnection {
  readonly welcome: Welcome;
  readonly #socket: Socket;

  readonly #closed: Promise<void>;

  private constructor(socket: Socket, welcome: Welcome, closed: Promise<void>) {
    this.#socket = socket;
    this.welcome = welcome;
    this.#closed = closed;
  }

  /** @throws the error of the socket if no keeper listens; an Error if it never sends WELCOME */
  static async open(path: string, events: KeeperEvents): Promise<KeeperConnection> {
    for (let tries = 1; ; tries++) {
      try {
        return await KeeperConnection.#greet(path, events);
      } catch (error) {
        if (!(error instanceof TurnedAway) || tries === MAX_TRIES) throw error;
      }
    }
  }

  static async #greet(path: string, { onFrame, onClose, onFault }: KeeperEvents): Promise<KeeperConnection> {
    const socket = connect(path);
    using _deadline = destroyAfter(socket, WELCOME_MS, new SilentKeeper(path));
    await once(socket, 'connect');
    const splitter = new FrameSplitter();
    const welcomed = Promise.withResolvers<Welcome>();
    const closed = Promise.withResolvers<void>();
    let greeted = false;
    const take = (chunk: Buffer): void => {
      for (const frame of splitter.push(chunk)) {
        if (frame.type === EVENT.welcome) welcomed.resolve(readWelcome(frame));
        else onFrame(frame);
      }
    };
    socket.on('data', (chunk) => {
      try {
        take(chunk);
      } catch (error) {
        welcomed.reject(error);
        socket.destroy();
        onFault?.(error);
      }
    });
    socket.on('error', (error) => welcomed.reject(error instanceof SilentKeeper ? error : new TurnedAway(path)));
    socket.on('close', () => {
      welcomed.reject(new TurnedAway(path));
      if (greeted) onClose();
      closed.resolve();
    });
    socket.write(new FrameWriter(REQUEST.hello).u32(KEEPER_VERSION).finish());
    const welcome = await welcomed.promise;
    greeted = true;
    return new KeeperConnection(socket, welcome, closed.promise);
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /**
   * Sends the first frame of a turn of the event loop at once, for the latency of one caller, and the others together
   * at the end of the turn: each write wakes the keeper. Frames are dropped after the end of the connection.
   */
  send(frame: FrameWriter): void {
    if (!this.isOpen) return;
    this.#socket.write(frame.finish());
    if (this.#socket.writableCorked > 0) return;
    this.#socket.cork();
    setImmediate(() => this.#socket.uncork());
  }

  /**
   * Resolves when the keeper has read enough for a further START.
   * @throws SilentKeeper if it does not read in time
   */
  async ready(): Promise<void> {
    if (!this.isOpen || this.#socket.writableLength < MAX_WAITING_BYTES) return;
    const drained = Promise.race([once(this.#socket, 'drain'), this.#closed]);
    if ((await waitFor(drained, { ms: WELCOME_MS })) === 'timeout') throw new SilentKeeper('its socket');
  }

  close(): void {
    this.#socket.uncork();
    this.#socket.destroy();
  }

  /** Resolves when the connection has ended and `onClose` was called. */
  closed(): Promise<void> {
    return this.#closed;
  }
}

function readWelcome(frame: FrameReader): Welcome {
  frame.u32();
  return { pid: frame.u32(), living: frame.u32(), supervised: frame.flag(), build: frame.text() };
}
