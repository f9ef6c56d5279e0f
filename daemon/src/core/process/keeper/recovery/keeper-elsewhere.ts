import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { ORDER_FILE_ENTRIES } from '../../../output/order-log.ts';
import { OutputLog, sizeOf } from '../../../output/output-log.ts';
import { listOutputFiles } from '../../../output/segment-files.ts';
import type { HostedProcess, ProcessEnd } from '../../process-host.ts';
import { NO_STDIN } from '../../stdin/stdin-sink.ts';
import { FrameFaults } from '../frame-faults.ts';
import { type FrameReader, FrameSplitter, FrameWriter, KEEPER_VERSION } from '../keeper-frames.ts';
import type { KeeperPlace } from '../keeper-launch.ts';
import { endedProcess } from './ended-files.ts';

/** The frames of `docs/keeper.md` that every version of the protocol has. */
const LIST = 31;
const HELD = 94;
const LISTED = 95;
/** Milliseconds for which changes of files are collected before the files are read. */
const COLLECTING_MS = 50;
/** Milliseconds that a keeper may take to say what it holds. */
const LIST_MS = 5000;

/** A process that a keeper of another version holds: output and end are read from files, stdin is not reachable. */
class ElsewhereProcess implements HostedProcess {
  readonly id: string;
  readonly pid: number;
  readonly output: OutputLog;
  readonly ended: Promise<ProcessEnd>;
  readonly #settle: (end: ProcessEnd) => void;
  #forgetEnd: () => void = ignore;

  constructor(id: string, pid: number, output: OutputLog) {
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.id = id;
    this.pid = pid;
    this.output = output;
    this.ended = promise;
    this.#settle = resolve;
  }

  readonly stdinCount = NO_STDIN;

  async writeStdin(): Promise<never> {
    throw new SandboxError(
      'conflict',
      'the process was started by an earlier version, which alone can write to its stdin',
    );
  }

  typeStdin(): Promise<never> {
    return this.writeStdin();
  }

  offerStdin(): Promise<never> {
    return this.writeStdin();
  }

  endStdin(): Promise<never> {
    return this.writeStdin();
  }

  acknowledgeExit(): void {
    this.#forgetEnd();
  }

  /** Whether the keeper that holds it has written the file of its end. */
  findEnd(directory: string): boolean {
    const end = endedProcess(directory, this.output);
    if (end === undefined) return false;
    this.#forgetEnd = () => end.acknowledgeExit();
    void end.ended.then(this.#settle);
    return true;
  }

  lose(): void {
    this.output.seal();
    const unknown = { exitCode: null, signal: null, background: false, usage: null, lost: true };
    this.#settle({ ...unknown, endedAt: new Date() });
  }
}

/** Processes that keepers of other protocol versions hold in a runtime directory; a keeper ends with its last one. */
export class OtherKeepers implements Disposable {
  readonly #faults: FrameFaults;
  readonly #output: string;
  readonly #ended: string;
  readonly #running = new Map<string, ElsewhereProcess>();
  readonly #all = new Map<string, HostedProcess>();
  readonly #sockets = new Set<Socket>();
  #watchers: FSWatcher[] = [];
  #reading: NodeJS.Timeout | undefined;

  private constructor(place: KeeperPlace) {
    const { directory } = place;
    this.#faults = new FrameFaults(place);
    this.#output = join(directory, 'output');
    this.#ended = join(directory, 'ended');
  }

  static async find(place: KeeperPlace): Promise<OtherKeepers> {
    const { directory } = place;
    const others = new OtherKeepers(place);
    const own = `keeper-v${KEEPER_VERSION}.sock`;
    const names = readdirSync(directory).filter((name) => /^keeper-v\d+\.sock$/.test(name) && name !== own);
    for (const name of names) await others.#list(join(directory, name));
    if (others.#running.size > 0) {
      others.#watchers = [others.#output, others.#ended].map((path) => watch(path, () => others.#readFilesSoon()));
      for (const watcher of others.#watchers) watcher.on('error', () => watcher.close());
      others.#readFiles();
    }
    return others;
  }

  get processes(): ReadonlyMap<string, HostedProcess> {
    return this.#all;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#reading);
    for (const watcher of this.#watchers) watcher.close();
    for (const socket of this.#sockets) socket.removeAllListeners('close').destroy();
  }

  /** Resolves with the ids that it holds, none if no keeper listens; the connection stays until the keeper ends. */
  #list(path: string): Promise<ReadonlySet<string>> {
    const { promise, resolve } = Promise.withResolvers<ReadonlySet<string>>();
    const held = new Set<string>();
    const splitter = new FrameSplitter();
    const socket = connect(path);
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      try {
        for (const frame of splitter.push(chunk)) {
          if (frame.type === HELD) held.add(this.#track(frame));
          else if (frame.type === LISTED) resolve(held);
        }
      } catch (error) {
        this.#faults.note(error, undefined);
        socket.removeAllListeners('data').destroy();
      }
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      resolve(held);
      if (held.size > 0) void this.#askAgain(path, held);
    });
    socket.write(new FrameWriter(LIST).finish());
    // One that is silent keeps its processes: they are not lost, though this daemon does not know them.
    return waitFor(promise, { ms: LIST_MS }).then(() => held);
  }

  #track(frame: FrameReader): string {
    const id = frame.text();
    if (this.#all.has(id)) return id;
    const process = new ElsewhereProcess(id, frame.u32(), new OutputLog(this.#output, id));
    this.#running.set(id, process);
    this.#all.set(id, process);
    return id;
  }

  /** The connection has ended: a process that the keeper neither holds any more nor has seen end is lost. */
  async #askAgain(path: string, held: ReadonlySet<string>): Promise<void> {
    await this.#faults.pause();
    const still = await this.#list(path);
    this.#readFiles();
    for (const id of held) {
      if (still.has(id)) continue;
      this.#running.get(id)?.lose();
      this.#running.delete(id);
    }
  }

  #readFilesSoon(): void {
    this.#reading ??= setTimeout(() => this.#readFiles(), COLLECTING_MS).unref();
  }

  #readFiles(): void {
    clearTimeout(this.#reading);
    this.#reading = undefined;
    if (this.#running.size === 0) return;
    for (const file of listOutputFiles(this.#output).sort((a, b) => a.number - b.number)) {
      const { output } = this.#running.get(file.id) ?? {};
      if (output === undefined || file.kind === 'pty') continue;
      const size = sizeOf(this.#output, file);
      if (file.kind === 'order') {
        output.order.advance(file.number * ORDER_FILE_ENTRIES + Math.floor(size / 8));
      } else if (size > 0) {
        output[file.kind].begin(file.number);
        output[file.kind].advance(file.number + size);
      }
    }
    for (const process of this.#running.values()) {
      if (process.findEnd(this.#ended)) this.#running.delete(process.id);
    }
  }
}
