import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ignore } from '@sandbox/program/ignore.ts';
import { nameOfErrno } from '../../errno-name.ts';
import { type FrameReader, FrameSplitter, FrameWriter } from './keeper-frames.ts';

const ADD = 32;
const REMOVE = 33;
const ADDED = 96;
const EVENT = 97;
const OVERFLOWED = 0xffff_ffff;
const STDERR_KEPT = 1000;
/** A path that does not exist (ENOENT). */
const NOWHERE = Buffer.alloc(0);

/** Bits of inotify(7). */
export const IN = {
  modify: 0x2,
  attrib: 0x4,
  movedFrom: 0x40,
  movedTo: 0x80,
  create: 0x100,
  delete: 0x200,
  deleteSelf: 0x400,
  moveSelf: 0x800,
  unmount: 0x2000,
  ignored: 0x8000,
  onlyDir: 0x0100_0000,
  dontFollow: 0x0200_0000,
  exclUnlink: 0x0400_0000,
  /** Adds to the mask of another watcher of the same directory. */
  maskAdd: 0x2000_0000,
  isDir: 0x4000_0000,
} as const;

/** Called with the events of one directory. Names are byte strings: one character a byte. */
export interface InotifyListener {
  readonly onInotify: (mask: number, cookie: number, name: string) => void;
}

/** Called with events that concern every watch of a reader. */
export interface InotifyWitness {
  /** The kernel's queue was full: events are missing. */
  readonly onOverflow: () => void;
  /** The reader is gone, and every watch with it. */
  readonly onGone: (reason: string) => void;
}

/** A directory that could not be watched; `code` is the errno's name. */
export class InotifyFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'InotifyFailure';
    this.code = code;
  }
}

interface PendingAdd {
  readonly listener: InotifyListener;
  readonly resolve: (watch: number) => void;
  readonly reject: (failure: InotifyFailure) => void;
}

/**
 * The kernel's inotify through `keeper-watch` (`docs/keeper.md`), a separate process. All watchers share one, because
 * a user has few instances (`fs.inotify.max_user_instances`); a directory that several watch takes one watch.
 */
export class InotifyReader implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #closed = Promise.withResolvers<void>();
  readonly #witnesses = new Set<InotifyWitness>();
  readonly #listeners = new Map<number, InotifyListener | InotifyListener[]>();
  readonly #pending = new Map<number, PendingAdd>();
  #toRemove: number[] = [];
  #requests = 0;
  #said = '';
  #isGone = false;
  #isFaulty = false;

  /**
   * `onFault`: a frame of the reader could not be handled, which ends it.
   * @throws InotifyFailure `EMFILE` if no descriptors are free for its pipes
   */
  constructor(program: string, onFault: (error: unknown) => void) {
    this.#child = spawn(program, [], { stdio: ['pipe', 'pipe', 'pipe'], env: {}, cwd: '/' });
    // Without free descriptors `spawn` answers a child without streams, and reports the error in a later turn.
    if (this.#child.stdout === undefined) {
      this.#child.once('error', ignore);
      throw new InotifyFailure('EMFILE', 'the inotify reader cannot be started: too many files are open');
    }
    const splitter = new FrameSplitter();
    this.#child.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const frame of splitter.push(chunk)) this.#take(frame);
      } catch (error) {
        // Nothing behind such a frame can be read: the watches end, as if the reader has died.
        onFault(error);
        this.#isFaulty = true;
        this.#end('a frame of it could not be handled');
        this.#child.stdout.removeAllListeners('data').resume();
        this.#child.kill('SIGKILL');
      }
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-STDERR_KEPT);
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.once('error', (error) => {
      this.#end(error.message);
      if (this.#child.pid === undefined) this.#closed.resolve();
    });
    this.#child.once('close', (code, signal) => {
      this.#end(this.#said.trim() || `it ended with ${signal ?? code}`);
      this.#closed.resolve();
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** It ended by a frame that could not be handled: the next one may send it again. */
  get isFaulty(): boolean {
    return this.#isFaulty;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Directories that are watched now. */
  get watches(): number {
    return this.#listeners.size;
  }

  /** Calls the listener until the returned function is called. */
  join(witness: InotifyWitness): () => void {
    this.#witnesses.add(witness);
    return () => void this.#witnesses.delete(witness);
  }

  /**
   * Watches the object at the path. The listener gets every later event, until `drop` or `ignored`.
   * @throws InotifyFailure; `ENOSPC`: the user's limit of watches is reached
   */
  add(path: Buffer, mask: number, listener: InotifyListener): Promise<number> {
    if (this.#isGone) return Promise.reject(new InotifyFailure('EPIPE', `the inotify reader is gone: ${this.#said}`));
    this.#requests = (this.#requests + 1) % OVERFLOWED;
    const request = this.#requests;
    return new Promise((resolve, reject) => {
      this.#pending.set(request, { listener, resolve, reject });
      this.#child.stdin.write(
        new FrameWriter(ADD)
          .u32(request)
          .u32(mask | IN.maskAdd)
          .bytes(path)
          .finish(),
      );
    });
  }

  /** Resolves when every event from before the call was delivered, or the reader has ended. */
  async caughtUp(): Promise<void> {
    // A path that cannot be watched is answered too, after all earlier events (`docs/keeper.md`).
    await this.add(NOWHERE, IN.create, { onInotify: ignore }).catch(() => undefined);
  }

  /** Removes the listener of that watch; removing the last one ends the watch. */
  drop(watch: number, listener: InotifyListener): void {
    const known = this.#listeners.get(watch);
    if (known === undefined) return;
    const others = [known].flat().filter((other) => other !== listener);
    if (others.length > 0) {
      this.#listeners.set(watch, others);
      return;
    }
    this.#listeners.delete(watch);
    this.#toRemove.push(watch);
    this.#removeWhenQuiet();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#witnesses.clear();
    this.#child.stdin.end();
    // It may be blocked in a write to a pipe that is not read in time.
    this.#child.kill('SIGTERM');
    await this.#closed.promise;
  }

  /** A removal that overtakes the answer to an addition of the same directory would end that one too. */
  #removeWhenQuiet(): void {
    if (this.#pending.size > 0 || this.#isGone) return;
    for (const watch of this.#toRemove) {
      if (!this.#listeners.has(watch)) this.#child.stdin.write(new FrameWriter(REMOVE).u32(watch).finish());
    }
    this.#toRemove = [];
  }

  #take(frame: FrameReader): void {
    if (frame.type === ADDED) this.#added(frame.u32(), frame.u32(), frame.u32());
    else if (frame.type === EVENT)
      this.#happened(frame.u32(), frame.u32(), frame.u32(), frame.bytes().toString('latin1'));
  }

  #added(request: number, watch: number, errno: number): void {
    const pending = this.#pending.get(request);
    if (pending === undefined) return;
    this.#pending.delete(request);
    if (errno === 0) {
      this.#listen(watch, pending.listener);
      pending.resolve(watch);
    } else {
      const code = nameOfErrno(errno);
      pending.reject(new InotifyFailure(code, `inotify_add_watch failed: ${code}`));
    }
    this.#removeWhenQuiet();
  }

  #listen(watch: number, listener: InotifyListener): void {
    const known = this.#listeners.get(watch);
    if (known === undefined) this.#listeners.set(watch, listener);
    else if (![known].flat().includes(listener)) this.#listeners.set(watch, [known, listener].flat());
  }

  #happened(watch: number, mask: number, cookie: number, name: string): void {
    if (watch === OVERFLOWED) {
      for (const witness of [...this.#witnesses]) witness.onOverflow();
      return;
    }
    const known = this.#listeners.get(watch);
    if ((mask & IN.ignored) !== 0) this.#listeners.delete(watch);
    if (known === undefined) return;
    if (!Array.isArray(known)) known.onInotify(mask, cookie, name);
    else for (const listener of known) listener.onInotify(mask, cookie, name);
  }

  #end(reason: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#said = reason;
    for (const { reject } of this.#pending.values()) {
      reject(new InotifyFailure('EPIPE', `the inotify reader is gone: ${reason}`));
    }
    this.#pending.clear();
    this.#listeners.clear();
    for (const witness of [...this.#witnesses]) witness.onGone(reason);
  }
}
