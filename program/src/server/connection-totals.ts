import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections of a server and their bytes, heads and WebSockets included: those of closed ones are added up. */
export class ConnectionTotals {
  readonly #open = new Set<Socket>();
  readonly #closed = { bytesRead: 0, bytesWritten: 0 };
  #opened = 0;

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#opened += 1;
      this.#open.add(socket);
      socket.once('close', () => {
        this.#open.delete(socket);
        this.#closed.bytesRead += socket.bytesRead;
        this.#closed.bytesWritten += socket.bytesWritten;
      });
    });
  }

  /** Connections that are open. */
  get open(): number {
    return this.#open.size;
  }

  /** Connections so far. */
  get opened(): number {
    return this.#opened;
  }

  bytes(side: 'bytesRead' | 'bytesWritten'): number {
    return this.#open.values().reduce((sum, socket) => sum + socket[side], this.#closed[side]);
  }
}
