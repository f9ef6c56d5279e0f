import type { Socket } from 'node:net';
import { onAbort } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { type ClientPort, isBehind } from '../../core/connection/client-port.ts';

/** Close codes of RFC 6455 §7.4.1. */
const NORMAL = 1000;
const UNSUPPORTED = 1003;
/** Largest message to a client, in bytes. */
const FRAME_BYTES = 64 * 1024;
/** The text message, in either direction, after which its sender sends no more. */
const EOF = '{"type":"eof"}';

/** The bytes between a client and a program that listens on a port, with back-pressure and half-close on both sides. */
export class PortConnection implements Disposable {
  readonly #socket: Socket;
  readonly #release: () => void;
  #draining: Promise<void> | undefined;

  /** @param socket connected, with half-close allowed */
  constructor(socket: Socket, release: () => void) {
    this.#socket = socket;
    this.#release = release;
  }

  /** Serves the client until both sides have ended, or one of them is cut. */
  async serve(port: ClientPort): Promise<void> {
    using _cut = onAbort(port.gone, () => this.#socket.destroy());
    port.onMessage((bytes, isText) => this.#take(port, bytes, isText));
    try {
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        for (let from = 0; from < chunk.length; from += FRAME_BYTES) {
          port.sendBytes(chunk.subarray(from, from + FRAME_BYTES), ignore);
        }
        while (isBehind(port) && !port.gone.aborted) await port.drained();
      }
      port.sendText(EOF);
      if (!this.#socket.writableFinished && !this.#socket.destroyed) await this.#ended();
    } catch {
      // The program has reset the connection: the end of the WebSocket says so.
    }
    port.close(NORMAL, 'the program has closed the connection');
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
    this.#release();
  }

  /** Resolves when the client's half has ended too, or the connection is cut. */
  #ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once('finish', resolve).once('close', () => resolve());
    });
  }

  async #take(port: ClientPort, bytes: Buffer, isText: boolean): Promise<void> {
    const socket = this.#socket;
    if (isText) {
      if (bytes.toString() === EOF) socket.end();
      else port.close(UNSUPPORTED, 'send the bytes as binary messages');
      return;
    }
    if (socket.writable && !socket.write(bytes)) await this.#drainedOnce();
  }

  /** One wait for all messages that are written before the program reads again. */
  #drainedOnce(): Promise<void> {
    this.#draining ??= new Promise<void>((resolve) => {
      const done = (): void => {
        this.#socket.off('drain', done).off('close', done);
        this.#draining = undefined;
        resolve();
      };
      this.#socket.on('drain', done).on('close', done);
    });
    return this.#draining;
  }
}
