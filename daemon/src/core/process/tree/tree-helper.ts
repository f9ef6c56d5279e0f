import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { ignore } from '@sandbox/program/ignore.ts';
import { type FrameReader, FrameSplitter } from '../keeper/keeper-frames.ts';
import {
  contentOf,
  DATA_BYTES,
  dataFrame,
  holeFrame,
  type MakeTerms,
  makeFrame,
  type OpenTerms,
  openFrame,
  putEndFrame,
  putFrame,
  readFrames,
  removeFrame,
  SAYS,
  setFrame,
  type TreeAttributes,
  type TreeContent,
  type TreeExpected,
  type TreePath,
  takeHashes,
  walkFrame,
} from './tree-frames.ts';

/** Milliseconds without an answer after which a file system counts as hung. */
const SILENCE_MS = 60_000;
/** Reads that are asked for at once; as many again follow when half of them are answered. */
const READS_AHEAD = 2000;
const STDERR_KEPT = 1000;

/** The helper could not go on: `what` is what failed, `errno` the number of the error, 0 without one. */
export class TreeFailure extends Error {
  readonly what: string;
  readonly errno: number;

  constructor(what: string, errno: number, message: string) {
    super(message);
    this.name = 'TreeFailure';
    this.what = what;
    this.errno = errno;
  }
}

/** A part of a directory of the walk; `entries` is a copy, in the form of `docs/keeper.md`. */
export interface TreeDirectory {
  readonly path: TreePath;
  /** 0, or why it cannot be listed. */
  readonly errno: number;
  /** The time before it was read, in nanoseconds since 1970. */
  readonly now: bigint;
  readonly entries: Buffer;
}

export interface Walked {
  readonly entries: number;
  readonly withheld: number;
  readonly tooLong: number;
}

interface Waiting {
  readonly take: (frame: FrameReader) => void;
  readonly reject: (failure: TreeFailure) => void;
}

/** One content of a file to be put: bytes, or the length of a hole. */
export type PutPiece = Uint8Array | number;

/** `keeper-tree`: walks, reads and changes one tree as an account. */
export class TreeHelper implements AsyncDisposable {
  readonly #stdin: Writable;
  readonly #child: ChildProcess;
  readonly #closed = Promise.withResolvers<void>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #hashes = new Map<number, string>();
  readonly #gone = Promise.withResolvers<never>();
  #onDirectory: (directory: TreeDirectory) => void = ignore;
  readonly #opened = Promise.withResolvers<{ readonly path: Buffer; readonly uid: number }>();
  #requests = 0;
  #said = '';
  #failure: TreeFailure | undefined;
  #silence: NodeJS.Timeout | undefined;

  /** @param store descriptor of an empty file that contents are written to */
  constructor(program: string, store: number) {
    this.#child = spawn(program, [], { stdio: ['pipe', 'pipe', 'pipe', store], env: {}, cwd: '/' });
    const { stdin, stdout, stderr } = this.#child;
    if (!stdin || !stdout || !stderr) throw new TreeFailure('start', 0, 'the tree helper cannot be started');
    this.#gone.promise.catch(ignore);
    this.#opened.promise.catch(ignore);
    this.#stdin = stdin;
    stdin.on('error', ignore);
    this.#listen(stdout, stderr);
    this.#child.once('error', (error) => {
      this.#fail(new TreeFailure('start', 0, `the tree helper cannot be started: ${error.message}`));
      if (this.#child.pid === undefined) this.#closed.resolve();
    });
    this.#child.once('close', (code, signal) => {
      this.#fail(new TreeFailure('end', 0, `the tree helper ended with ${this.#said.trim() || (signal ?? code)}`));
      this.#closed.resolve();
    });
  }

  /** The path of the root without links, and the user id that the helper has. @throws TreeFailure `root` or `account` */
  open(terms: OpenTerms): Promise<{ readonly path: Buffer; readonly uid: number }> {
    this.#send(openFrame(terms));
    return this.#opened.promise;
  }

  /** Every directory, each before those below it, in one or more parts. @throws TreeFailure */
  async walk(patterns: readonly string[], onDirectory: (directory: TreeDirectory) => void): Promise<Walked> {
    this.#onDirectory = onDirectory;
    const frame = await this.#ask((request) => walkFrame(request, patterns));
    return { entries: frame.u64(), withheld: frame.u64(), tooLong: frame.u64() };
  }

  /** Contents in the order of the paths; each is in the file of contents when it is taken. @throws TreeFailure */
  async read(paths: readonly TreePath[], take: (index: number, content: TreeContent) => void): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (paths.length === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let [asked, answered] = [0, 0];
    const ask = (): void => {
      const some = paths.slice(asked, asked + READS_AHEAD);
      const first = this.#requests + 1;
      this.#requests += some.length;
      for (let index = 0; index < some.length; index += 1) this.#waiting.set(first + index, waiting);
      asked += some.length;
      this.#send(readFrames(first, some));
    };
    // The helper answers in the order of the requests.
    const waiting: Waiting = {
      take: (frame) => {
        try {
          take(answered, contentOf(frame, this.#hashes));
        } catch (error) {
          reject(error);
        }
        answered += 1;
        if (answered === paths.length) resolve();
        else if (asked < paths.length && asked - answered < READS_AHEAD / 2) ask();
      },
      reject,
    };
    this.#watchSilence();
    ask();
    await promise;
    this.#hashes.clear();
  }

  /** Puts a file at a path. @returns 0, or the errno. @throws TreeFailure */
  async put(
    path: TreePath,
    expected: TreeExpected,
    attributes: TreeAttributes,
    pieces: Iterable<PutPiece>,
  ): Promise<number> {
    const done = this.#ask((request) => putFrame(request, path, expected, attributes));
    for (const piece of pieces) {
      if (typeof piece === 'number') await this.#write(holeFrame(piece));
      else
        for (let at = 0; at < piece.length; at += DATA_BYTES)
          await this.#write(dataFrame(piece.subarray(at, at + DATA_BYTES)));
    }
    this.#send(putEndFrame());
    return (await done).u32();
  }

  /** As `put`, of another object. */
  async make(path: TreePath, terms: MakeTerms, expected: TreeExpected, attributes: TreeAttributes): Promise<number> {
    return (await this.#ask((request) => makeFrame(request, path, terms, expected, attributes))).u32();
  }

  /** As `put`: removes an object; a directory has to be empty. */
  async remove(path: TreePath, isDirectory: boolean, expected: TreeExpected): Promise<number> {
    return (await this.#ask((request) => removeFrame(request, path, isDirectory, expected))).u32();
  }

  /** As `put`, of the attributes of what is there; "" is the root. */
  async set(path: TreePath, expected: TreeExpected, attributes: TreeAttributes): Promise<number> {
    return (await this.#ask((request) => setFrame(request, path, expected, attributes))).u32();
  }

  /** Kills the helper: calls that wait, and later ones, fail so. */
  end(failure: TreeFailure): void {
    this.#fail(failure);
    this.#child.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stdin.end();
    this.#child.kill('SIGKILL');
    clearTimeout(this.#silence);
    await this.#closed.promise;
  }

  #listen(stdout: Readable, stderr: Readable): void {
    const splitter = new FrameSplitter();
    stdout.on('data', (chunk: Buffer) => {
      try {
        for (const frame of splitter.push(chunk)) this.#take(frame);
      } catch (error) {
        this.#fail(new TreeFailure('protocol', 0, `a frame of the tree helper cannot be read: ${String(error)}`));
        this.#child.kill('SIGKILL');
      }
    });
    stderr.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-STDERR_KEPT);
    });
  }

  #take(frame: FrameReader): void {
    this.#silence?.refresh();
    if (frame.type === SAYS.directory) {
      const [errno, now] = [frame.u32(), BigInt(frame.u32()) + (BigInt(frame.u32()) << 32n)];
      const path = frame.bytes().toString('latin1');
      this.#onDirectory({ path, errno, now, entries: Buffer.from(frame.rest()) });
    } else if (frame.type === SAYS.hashes) {
      takeHashes(frame, this.#hashes);
    } else if (frame.type === SAYS.opened) {
      this.#opened.resolve({ path: Buffer.from(frame.bytes()), uid: frame.u32() });
    } else if (frame.type === SAYS.failed) {
      const [what, errno] = [frame.text(), frame.u32()];
      this.#fail(new TreeFailure(what, errno, `the tree helper failed: ${what} (errno ${errno})`));
    } else {
      const request = frame.u32();
      this.#waiting.get(request)?.take(frame);
      this.#waiting.delete(request);
    }
  }

  #ask(frameOf: (request: number) => Buffer): Promise<FrameReader> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#requests += 1;
    const { promise, resolve, reject } = Promise.withResolvers<FrameReader>();
    this.#waiting.set(this.#requests, { take: resolve, reject });
    this.#watchSilence();
    this.#send(frameOf(this.#requests));
    return promise;
  }

  #watchSilence(): void {
    this.#silence ??= setTimeout(() => {
      if (this.#waiting.size === 0) {
        this.#silence?.refresh();
        return;
      }
      this.#fail(new TreeFailure('silence', 0, `the file system did not answer for ${SILENCE_MS / 1000} s`));
      this.#child.kill('SIGKILL');
    }, SILENCE_MS).unref();
  }

  /** Without a wait: requests are bounded in number, and each waits for its answer. */
  #send(frame: Buffer): void {
    if (!this.#failure) this.#stdin.write(frame);
  }

  async #write(frame: Buffer): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#stdin.write(frame)) return;
    await Promise.race([once(this.#stdin, 'drain'), this.#gone.promise]);
  }

  #fail(failure: TreeFailure): void {
    if (this.#failure) return;
    this.#failure = failure;
    clearTimeout(this.#silence);
    this.#opened.reject(failure);
    this.#gone.reject(failure);
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }
}
