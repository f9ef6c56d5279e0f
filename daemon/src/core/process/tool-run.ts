import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';

/** Bytes of stderr that are kept. */
const STDERR_KEPT = 16 * 1024;

export interface ToolEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stderr: string;
}

/** A program that runs for the daemon, with its privileges: its stdout is streamed, and disposal kills it. */
export class ToolRun implements AsyncDisposable {
  readonly stdout: Readable;
  /** Never rejects: a program that cannot be started has code 127 and the reason on stderr. */
  readonly ended: Promise<ToolEnd>;
  readonly #kill: () => void;

  /** `cwd` has to exist. The environment has a locale only. */
  constructor(program: string, args: readonly string[], cwd: string) {
    const env = { LC_ALL: 'C.UTF-8' };
    // Without free descriptors `spawn` answers a child without streams.
    const child: ChildProcess = spawn(program, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: 127, stderr: error.message }));
      child.once('close', (code) => resolve({ code, stderr }));
    });
    this.stdout = child.stdout ?? Readable.from([]);
    this.stdout.on('error', () => undefined);
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length < STDERR_KEPT) stderr += chunk.toString();
    });
    this.#kill = () => void child.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill();
    this.stdout.destroy();
    await this.ended;
  }
}
