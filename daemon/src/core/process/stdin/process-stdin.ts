import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type HostCheck, StdinPipe } from './stdin-pipe.ts';
import { NO_STDIN, type StdinCount, type StdinSink } from './stdin-sink.ts';

/** The stdin of a process as `HostedProcess` describes it, whatever the process was given. */
export class ProcessStdin {
  readonly #pipe: StdinPipe | undefined;
  readonly #isTerminal: boolean;
  #hasEnded = false;

  constructor(sink: StdinSink | undefined, isTerminal = false, check?: HostCheck) {
    this.#pipe = sink && new StdinPipe(sink, check, isTerminal);
    this.#isTerminal = isTerminal;
  }

  get count(): StdinCount {
    return this.#pipe?.sink.count ?? NO_STDIN;
  }

  /** It is a pipe that was not closed. */
  get isOpen(): boolean {
    return !this.#hasEnded && this.#pipe?.isOpen === true;
  }

  async write(bytes: Uint8Array, signal?: AbortSignal, offset?: number): Promise<void> {
    await this.#open().write(bytes, signal, offset);
  }

  async type(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#open().type(bytes, signal);
  }

  async offer(bytes: Uint8Array, offset?: number): Promise<number> {
    return this.#open().offer(bytes, offset);
  }

  async end(): Promise<void> {
    if (this.#isTerminal) throw new SandboxError('conflict', 'a terminal has no end of input; type Ctrl-D');
    await this.#open().end();
  }

  /** The process has ended. */
  close(): void {
    this.#hasEnded = true;
    this.#pipe?.close();
  }

  #open(): StdinPipe {
    if (this.#hasEnded) throw new SandboxError('conflict', 'the process has ended');
    if (this.#pipe === undefined) throw new SandboxError('conflict', 'the process was started without a stdin pipe');
    return this.#pipe;
  }
}
