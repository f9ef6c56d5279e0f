import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { EVENT, type FrameReader, FrameSplitter, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';

/** Attempts to connect to a keeper that closes the connection before WELCOME. */
const MAX_TRIES = 100;

export interface Welcome {
  readonly pid: number;
  /** It ends only at SHUTDOWN or a signal: a supervisor starts it. */
  readonly supervised: boolean;
}

export interface KeeperEvents {
  /** Any frame but WELCOME, in the order of their arrival. */
  readonly onFrame: (frame: FrameReader) => void;
  /** The keeper has ended, or another daemon has joined it. */
  readonly onClose: () => void;
}

/** The keeper closed the connection before WELCOME: it is ending, or another client has connected meanwhile. */
class TurnedAway extends Error {
  constructor(path: string) {
    super(`the keeper at ${path} closed the connection`);
    this.name = 'TurnedAway';
  }
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

  /** @throws the error of the socket where no keeper listens; an Error where it never sends WELCOME */
  static async open(path: string, events: KeeperEvents): Promise<KeeperConnection> {
    for (let tries = 1; ; tries++) {
      try {
        return await KeeperConnection.#greet(path, events);
      } catch (error) {
        if (!(error instanceof TurnedAway) || tries === MAX_TRIES) throw error;
      }
    }
  }

  static async #greet(path: string, { onFrame, onClose }: KeeperEvents): Promise<KeeperConnection> {
    const socket = connect(path);
    await once(socket, 'connect');
    const splitter = new FrameSplitter();
    const welcomed = Promise.withResolvers<Welcome>();
    const closed = Promise.withResolvers<void>();
    let greeted = false;
    socket.on('data', (chunk) => {
      for (const frame of splitter.push(chunk)) {
        if (frame.type === EVENT.welcome) welcomed.resolve(readWelcome(frame));
        else onFrame(frame);
      }
    });
    socket.on('error', () => socket.destroy());
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

  /** Frames are dropped after the end of the connection. */
  send(frame: FrameWriter): void {
    if (this.isOpen) this.#socket.write(frame.finish());
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Resolves when the connection has ended and `onClose` was called. */
  closed(): Promise<void> {
    return this.#closed;
  }
}

function readWelcome(frame: FrameReader): Welcome {
  frame.u32();
  const pid = frame.u32();
  frame.u32();
  return { pid, supervised: frame.flag() };
}
