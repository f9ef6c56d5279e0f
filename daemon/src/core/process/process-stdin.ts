import type { Writable } from 'node:stream';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type HostCheck, StdinPipe } from './stdin-pipe.ts';

/** The stdin of a process as `HostedProcess` describes it, whatever the process was given. */
export class ProcessStdin {
  readonly #pipe: StdinPipe | undefined;
  readonly #isTerminal: boolean;
  #hasEnded = false;

  constructor(stream: Writable | undefined, isTerminal = false, check?: HostCheck) {
    this.#pipe = stream && new StdinPipe(stream, check);
    this.#isTerminal = isTerminal;
  }

  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#open().write(bytes, signal);
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
