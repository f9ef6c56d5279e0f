import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ignore } from '@sandbox/program/ignore.ts';
import type { OutputLog } from '../../output/output-log.ts';
import { OutputLogWriter } from '../../output/output-log-writer.ts';
import type { OutputStream } from '../../output/segment-files.ts';
import type { HostedProcess, ProcessEnd } from '../process-host.ts';
import { ProcessStdin } from '../stdin/process-stdin.ts';
import { StdinOwner } from '../stdin/stdin-owner.ts';
import { type Pipe, readPipe } from './pipes.ts';
import { StreamStdin } from './stream-stdin.ts';

/** Milliseconds after the reaping from which open output counts as background. */
export const BACKGROUND_MS = 250;
/** Turns of the event loop that read the rest of a pipe and its end, for which three are enough. */
const LAST_TURNS = 8;

export interface ChildPipes {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  readonly stdin?: Pipe;
}

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly output: OutputLog;
  readonly outputMaxBytes: number;
  /** Undefined if Node made the streams. */
  readonly pipes: ChildPipes | undefined;
}

/** A child of this process, the pipes of which are read into its log. */
export class PortableProcess extends StdinOwner implements HostedProcess, Disposable {
  readonly id: string;
  readonly pid: number;
  readonly output: OutputLog;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  protected readonly stdin: ProcessStdin;
  readonly #writer: OutputLogWriter;
  readonly #sources: readonly Readable[];
  readonly #settle: (end: ProcessEnd) => void;
  readonly #onReleased: () => void;
  #open = 2;
  #exit: Omit<ProcessEnd, 'background'> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onReleased`: the process is reaped and its output has ended, so that it holds no resource any more. */
  constructor({ child, pid, output, outputMaxBytes, pipes }: Started, onReleased: () => void) {
    super();
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.id = output.id;
    this.pid = pid;
    this.output = output;
    this.ended = promise;
    this.#settle = resolve;
    this.#onReleased = onReleased;
    this.#child = child;
    this.#writer = new OutputLogWriter(output, outputMaxBytes);
    const stdin = pipes?.stdin ? new Socket({ fd: pipes.stdin.ownEnd, readable: false, writable: true }) : child.stdin;
    this.stdin = new ProcessStdin(stdin ? new StreamStdin(stdin) : undefined);
    this.#sources = (['stdout', 'stderr'] as const).flatMap((stream) => this.#read(stream, pipes?.[stream]) ?? []);
    child.on('error', ignore);
    child.on('exit', (exitCode, signal) => this.#exited(exitCode, signal));
  }

  /** Its end is lost with the daemon in any case. */
  acknowledgeExit(): void {
    // The end is known to this process alone.
  }

  /** Stops reading the output of the child, which does not keep this process alive any more. */
  [Symbol.dispose](): void {
    this.stdin.close();
    for (const source of this.#sources) source.destroy();
    this.#child.unref();
    if (this.#timer !== undefined) this.#end(true);
  }

  #read(stream: OutputStream, pipe: Pipe | undefined): Readable | undefined {
    const onBytes = (bytes: Uint8Array): void => this.#writer.write(stream, bytes);
    const onEnd = (): void => this.#closed(stream);
    if (pipe !== undefined) return readPipe(pipe.ownEnd, onBytes, onEnd);
    return this.#child[stream]?.on('error', ignore).on('data', onBytes).on('close', onEnd);
  }

  #closed(stream: OutputStream): void {
    this.#writer.close(stream);
    this.#open--;
    this.#endIfDone();
  }

  #exited(exitCode: number | null, signal: string | null): void {
    this.#exit = { exitCode, signal, usage: null, endedAt: new Date() };
    this.stdin.close();
    if (this.#open > 0) this.#timer = setTimeout(() => void this.#overdue(), BACKGROUND_MS);
    this.#endIfDone();
  }

  /** Timers run before reads: after a blocked event loop the rest of the output and its end may still be unread. */
  async #overdue(): Promise<void> {
    for (let turn = 0; turn < LAST_TURNS; turn++) await nextTurn();
    this.#end(true);
  }

  #endIfDone(): void {
    if (this.#open > 0 || this.#exit === undefined) return;
    this.#end(false);
    this.#onReleased();
  }

  /** The first call decides. */
  #end(background: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#exit !== undefined) this.#settle({ ...this.#exit, background });
  }
}
