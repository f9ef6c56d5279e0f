import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';

/** UTF-16 units of ffmpeg's messages that are kept, the newest. */
const KEPT_MESSAGES = 4_000;

/** Where ffmpeg is looked for. */
export const PROGRAM_DIRECTORIES: readonly string[] = ['/usr/local/bin', '/usr/bin', '/bin'];

export interface FfmpegPlace {
  readonly display: string;
  readonly xauthority: string | undefined;
  /** Takes what it records; if it rejects, ffmpeg is killed. */
  readonly write: (mp4: AsyncIterable<Buffer>) => Promise<void>;
}

/** How a process ended: by itself in order, or why not. */
export interface FfmpegEnd {
  /** Of code 0: after its `-t`, after `stop`, or if the display has nothing more to show. */
  readonly isOrderly: boolean;
  /** The signal that ended it, or what it said last. */
  readonly reason: string;
  /** Of what took its output. */
  readonly writeError: unknown;
}

/** The life of one ffmpeg: from its first picture to its end. */
export class FfmpegProcess {
  /** Settles at the first picture, or at the end of a process that made none. */
  readonly firstPicture: Promise<void>;
  readonly ended: Promise<FfmpegEnd>;
  readonly #child: ChildProcess;
  #pictures = 0;
  #seconds = 0;
  #messages = '';
  #writeError: unknown;

  constructor(args: readonly string[], { display, xauthority, write }: FfmpegPlace) {
    const first = Promise.withResolvers<void>();
    this.firstPicture = first.promise;
    // It ends with the worker, also if that is killed.
    this.#child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', 'ffmpeg', ...args], {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: {
        PATH: PROGRAM_DIRECTORIES.join(':'),
        DISPLAY: display,
        ...(xauthority !== undefined && { XAUTHORITY: xauthority }),
      },
    });
    this.#child.stdin?.on('error', ignore);
    this.#child.stderr?.on('error', ignore).on('data', (bytes: Buffer) => this.#keep(bytes));
    const progress = this.#child.stdio[3];
    if (progress instanceof Readable) {
      createInterface({ input: progress.on('error', ignore) }).on('line', (line) => {
        if (this.#read(line)) first.resolve();
      });
    }
    this.ended = this.#end(write).finally(first.resolve);
  }

  /** So many were recorded. */
  get pictures(): number {
    return this.#pictures;
  }

  /** The time of the last picture. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Ends the pictures in order, and kills ffmpeg if that takes longer than `ms`. */
  async stop(ms: number): Promise<void> {
    this.#child.stdin?.write('q');
    if ((await waitFor(this.ended, { ms })) === 'settled') return;
    this.#child.kill('SIGKILL');
    await waitFor(this.ended, { ms });
  }

  async #end(write: FfmpegPlace['write']): Promise<FfmpegEnd> {
    const { promise: closed, resolve } = Promise.withResolvers<Omit<FfmpegEnd, 'writeError'>>();
    this.#child.once('error', ({ message }) =>
      resolve({ isOrderly: false, reason: `ffmpeg does not start: ${message}` }),
    );
    this.#child.once('close', (code, signal) =>
      resolve({ isOrderly: code === 0, reason: this.#reasonOf(code, signal) }),
    );
    const written = this.#child.stdout && write(this.#child.stdout).catch((error) => this.#giveUp(error));
    const end = await closed;
    await written;
    return { ...end, writeError: this.#writeError };
  }

  #giveUp(error: unknown): void {
    this.#writeError = error;
    this.#child.kill('SIGKILL');
  }

  /** Whether a line of the progress shows a picture. */
  #read(line: string): boolean {
    const [name, value = ''] = line.split('=', 2);
    if (name === 'out_time_us') this.#seconds = Math.max(Number(value) / 1e6 || 0, this.#seconds);
    if (name === 'frame') this.#pictures = Number(value) || 0;
    return this.#pictures > 0;
  }

  #keep(bytes: Buffer): void {
    this.#messages = (this.#messages + bytes.toString('utf8')).slice(-KEPT_MESSAGES);
  }

  #reasonOf(code: number | null, signal: NodeJS.Signals | null): string {
    if (signal !== null) return `ffmpeg was ended by ${signal}`;
    return `ffmpeg ended: ${this.#messages.trim().split('\n').at(-1) || code}`;
  }
}
