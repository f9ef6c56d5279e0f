import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fchownSync, mkdirSync, openSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from '../../account/identity.ts';
import { errnoName } from '../../errno-name.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK } = constants;
const BATCH = 96;
const LOW = 48;
const READ_BYTES = 256 * 1024;

/** One buffer for all pipes, which are read one after the other: its content is used before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** Both ends of a pipe; the caller closes the child's once the child has it. */
export interface Pipe {
  readonly childEnd: number;
  readonly ownEnd: number;
}

export type PipeDirection = 'in' | 'out';

/**
 * Real pipes for children. Node gives them sockets, which cannot be opened again (`echo x > /dev/stderr` fails) and
 * which it reads into a new buffer each time; so FIFOs are made in batches by one `mkfifo`, opened and unlinked.
 */
export class PipePool implements AsyncDisposable {
  readonly #parent: string;
  #directory: string | undefined;
  #paths: string[] = [];
  #filling: Promise<boolean> | undefined;
  #unavailable: boolean;

  /** `parent`: a private directory of the daemon. `available`: false if FIFOs are not used. */
  constructor(parent: string, available: boolean) {
    this.#parent = parent;
    this.#unavailable = !available;
  }

  /**
   * A pipe for each direction, as the child sees it; undefined if this system has no FIFOs and Node's sockets serve.
   * @throws the error of the system call that failed; none is left open then
   */
  async take(directions: readonly PipeDirection[], owner?: Identity): Promise<Pipe[] | undefined> {
    while (this.#paths.length < directions.length) {
      if (this.#unavailable || !(await this.#fill())) return undefined;
    }
    const pipes: Pipe[] = [];
    try {
      for (const direction of directions) pipes.push(this.#open(direction, owner));
    } catch (error) {
      for (const pipe of pipes) closePipe(pipe);
      throw error;
    }
    if (this.#paths.length < LOW) void this.#fill();
    return pipes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unavailable = true;
    await this.#filling;
    this.#paths = [];
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
  }

  #open(direction: PipeDirection, owner: Identity | undefined): Pipe {
    const path = this.#paths.pop();
    if (path === undefined) throw new Error('no pipe is ready');
    const [childMode, ownMode] = direction === 'in' ? [O_RDONLY, O_WRONLY] : [O_WRONLY, O_RDONLY];
    const opened: number[] = [];
    try {
      // Open both ways first, so that neither end waits for the other one.
      const both = openSync(path, O_RDWR | O_NONBLOCK);
      opened.push(both);
      if (owner !== undefined) fchownSync(both, owner.uid, owner.gid);
      const childEnd = openSync(path, childMode);
      opened.push(childEnd);
      const ownEnd = openSync(path, ownMode | O_NONBLOCK);
      closeSync(both);
      return { childEnd, ownEnd };
    } catch (error) {
      for (const fd of opened) closeSync(fd);
      throw error;
    } finally {
      unlinkSync(path);
    }
  }

  /** Whether FIFOs were made. */
  #fill(): Promise<boolean> {
    this.#filling ??= this.#make().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #make(): Promise<boolean> {
    try {
      this.#directory ??= ownDirectory(this.#parent);
      const directory = this.#directory;
      const paths = Array.from({ length: BATCH }, () => join(directory, randomUUID()));
      await promisify(execFile)('mkfifo', ['-m', '600', ...paths], { env: { PATH: '/usr/bin:/bin' } });
      if (!this.#unavailable) this.#paths.push(...paths);
      return true;
    } catch (error) {
      // No such program; anything else (a full disk, no more processes) may be over next time.
      if (errnoName(error) === 'ENOENT') this.#unavailable = true;
      return false;
    }
  }
}

function closePipe({ childEnd, ownEnd }: Pipe): void {
  closeSync(childEnd);
  closeSync(ownEnd);
}

/** Calls `onBytes` with bytes that are valid during the call alone, then `onEnd` once, at EOF or a broken pipe. */
export function readPipe(fd: number, onBytes: (bytes: Uint8Array) => void, onEnd: () => void): Socket {
  const onread = {
    buffer: readBuffer,
    callback: (count: number): boolean => {
      onBytes(readBuffer.subarray(0, count));
      return true;
    },
  };
  const socket = new Socket({ fd, readable: true, writable: false, onread });
  socket.on('error', () => socket.destroy()).on('close', onEnd);
  return socket.resume();
}

/** Named after this process, so that the directory of a killed process can be recognised and removed. */
function ownDirectory(parent: string): string {
  for (const name of readdirSync(parent)) {
    const pid = /^pipes-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const directory = join(parent, `pipes-${process.pid}-${randomUUID()}`);
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoName(error) === 'EPERM';
  }
}
