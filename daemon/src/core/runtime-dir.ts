import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/**
 * The private directory of one daemon: records, output, sockets. It is held by a listening socket, which the
 * system takes away from a process that dies, so that a lock never outlives its daemon.
 */
export class RuntimeDir implements AsyncDisposable {
  readonly path: string;
  readonly #lock: Server;

  private constructor(path: string, lock: Server) {
    this.path = path;
    this.#lock = lock;
  }

  /** @throws Error in one line where the directory cannot be had, is somebody else's, or another daemon holds it */
  static async open(path: string): Promise<RuntimeDir> {
    makePrivate(path);
    const socket = join(path, 'daemon.sock');
    if (await isAnswering(socket)) throw new Error(`another daemon holds the runtime directory ${path}`);
    rmSync(socket, { force: true });
    const lock = createServer((connection) => connection.destroy());
    await new Promise<void>((resolve, reject) => {
      lock.once('error', (error) => reject(new Error(`cannot hold the runtime directory ${path}: ${error.message}`)));
      lock.listen(socket, resolve);
    });
    lock.unref();
    return new RuntimeDir(path, lock);
  }

  /** A private directory inside, made if needed. */
  directory(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#lock.close(resolve));
  }
}

function makePrivate(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(path);
    if (uid !== process.getuid?.()) throw new Error('it belongs to another account');
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot use the runtime directory ${path}: ${reason}`, { cause: error });
  }
}

function isAnswering(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => resolve(true));
    connection.once('error', () => resolve(false));
    connection.once('close', () => connection.destroy());
  });
}
