import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';

/** Bytes of stderr that are kept. */
const STDERR_KEPT = 16 * 1024;

export interface ToolEnd {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stderr: string;
}

/** A program that runs for the daemon, with its privileges: its stdout is streamed, and disposal kills it. */
export class ToolRun implements AsyncDisposable {
  readonly stdout: Readable;
  /** Never rejects: a program that cannot be started has code 127 and the reason on stderr. */
  readonly ended: Promise<ToolEnd>;
  readonly #kill: () => void;

  /**
   * `cwd` has to exist. The environment has a locale only.
   * @param isTaken takes lines of stderr, which are then not kept
   */
  constructor(program: string, args: readonly string[], cwd: string, isTaken: (line: string) => boolean = () => false) {
    const env = { LC_ALL: 'C.UTF-8' };
    // Without free descriptors `spawn` answers a child without streams.
    const child: ChildProcess = spawn(program, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    let line = '';
    const keep = (text: string): void => {
      if (!isTaken(text) && stderr.length < STDERR_KEPT) stderr += text;
    };
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: 127, stderr: error.message }));
      child.once('close', (code) => {
        keep(line);
        resolve({ code, stderr });
      });
    });
    this.stdout = child.stdout ?? Readable.from([]);
    this.stdout.on('error', () => undefined);
    child.stderr?.on('data', (chunk: Buffer) => {
      const lines = (line + chunk.toString()).split(/(?<=\n)/);
      line = lines.at(-1)?.endsWith('\n') === false ? (lines.pop() ?? '') : '';
      for (const text of lines) keep(text);
      if (line.length > STDERR_KEPT) line = line.slice(-STDERR_KEPT);
    });
    this.#kill = () => void child.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill();
    this.stdout.destroy();
    await this.ended;
  }
}
