import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { errnoName } from './errno-name.ts';
import { RuntimeSpace } from './records/runtime-space.ts';

/**
 * The private directory of one daemon: records, output, sockets. It is held by a listening socket, which the
 * system takes away from a process that dies, so that a lock never outlives its daemon.
 */
export class RuntimeDir implements AsyncDisposable {
  readonly path: string;
  /** Whether the daemon before this one ended without giving the directory up: it was killed, or crashed. */
  readonly wasLeft: boolean;
  /** What is set aside in it and refused on a full disk. */
  readonly space: RuntimeSpace;
  readonly #lock: Server;

  private constructor(path: string, lock: Server, wasLeft: boolean) {
    this.path = path;
    this.#lock = lock;
    this.wasLeft = wasLeft;
    this.space = new RuntimeSpace(path);
  }

  /**
   * @throws Error in one line if the directory cannot be made, has another owner, another daemon holds it, or what
   * stands in its place cannot be removed
   */
  static async open(path: string): Promise<RuntimeDir> {
    makePrivate(path);
    const own = join(path, `daemon-${randomBytes(4).toString('hex')}.sock`);
    const lock = createServer((connection) => connection.destroy());
    await new Promise<void>((resolve, reject) => {
      lock.once('error', (error) => reject(new Error(`cannot hold the runtime directory ${path}: ${error.message}`)));
      lock.listen(own, resolve);
    });
    let wasLeft: boolean;
    try {
      wasLeft = await takeName(own, join(path, 'daemon.sock'));
    } catch (error) {
      lock.close();
      if (error instanceof Held) throw new Error(`another daemon holds the runtime directory ${path}`);
      throw error;
    }
    lock.unref();
    return new RuntimeDir(path, lock, wasLeft);
  }

  /** A private directory inside, made if needed. */
  directory(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#lock.listening) return;
    rmSync(join(this.path, 'daemon.sock'), { force: true });
    await new Promise((resolve) => this.#lock.close(resolve));
  }
}

/** A file system that links no sockets: two daemons that come within the same millisecond are not told apart there. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP'];

class Held extends Error {}

/**
 * Gives a listening socket the name that one daemon of the directory can have: by a link, which fails if the name
 * exists, so that one of several concurrent daemons gets it. A name without a listener is removed first.
 * @returns whether there was such a name
 */
async function takeName(own: string, name: string): Promise<boolean> {
  let wasLeft = false;
  for (;;) {
    try {
      linkSync(own, name);
      rmSync(own);
      return wasLeft;
    } catch (error) {
      if (!['EEXIST', ...NO_LINKS].includes(errnoName(error))) throw error;
      if (errnoName(error) !== 'EEXIST' && !(await isAnswering(name))) {
        wasLeft = existsSync(name);
        renameSync(own, name);
        return wasLeft;
      }
    }
    const seen = inodeOf(name);
    if (await isAnswering(name)) throw new Held();
    if (seen !== undefined && inodeOf(name) === seen) {
      unlinkLeft(name);
      wasLeft = true;
    }
  }
}

/** @throws Error if a name stays, since the next attempt would find it again */
function unlinkLeft(name: string): void {
  try {
    unlinkSync(name);
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return;
    throw new Error(`cannot remove ${name}, on which no daemon listens (${errnoName(error)}): remove it`, {
      cause: error,
    });
  }
}

function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino;
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
