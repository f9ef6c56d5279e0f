import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Logger } from '@sandbox/program/logger.ts';

/** UTF-16 units of ffmpeg's messages that are kept, the newest. */
const KEPT_MESSAGES = 4_000;
const DISK_FULL = 'disk full';
/** Messages of ENOSPC and EDQUOT (strerror(3)). */
const NO_SPACE = ['No space left on device', 'Disk quota exceeded'];
const HINT = 'apt-get install ffmpeg: the worker records with it';

/** Where ffmpeg is looked for. */
export const PROGRAM_DIRECTORIES: readonly string[] = ['/usr/local/bin', '/usr/bin', '/bin'];

/** The life of one ffmpeg: from its first picture to its end. */
export class FfmpegProcess {
  /** Settles at the first picture, or at the end of a process that made none. */
  readonly firstPicture: Promise<void>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #isRunning = true;
  #isStopped = false;
  #seconds = 0;
  #messages = '';
  #failure: SandboxError | undefined;
  #reason: string | undefined;

  constructor(
    args: readonly string[],
    place: { readonly display: string; readonly xauthority: string | undefined },
    logger: Logger,
  ) {
    const first = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    this.firstPicture = first.promise;
    this.#ended = ended.promise;
    // It ends with the worker, also where that is killed.
    this.#child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', 'ffmpeg', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: PROGRAM_DIRECTORIES.join(':'),
        DISPLAY: place.display,
        ...(place.xauthority !== undefined && { XAUTHORITY: place.xauthority }),
      },
    });
    const finish = (): void => {
      this.#isRunning = false;
      first.resolve();
      ended.resolve();
    };
    this.#child.once('error', (error) => {
      this.#failure = new SandboxError('unavailable', `ffmpeg does not start: ${error.message}`, { hint: HINT });
      finish();
    });
    this.#child.once('close', (code, signal) => {
      this.#judge(code, signal);
      if (this.#reason !== undefined) logger.warn({ reason: this.#reason }, 'recording ended');
      finish();
    });
    this.#child.stdin?.on('error', ignore);
    this.#child.stderr?.on('error', ignore).on('data', (bytes: Buffer) => this.#keep(bytes));
    if (!this.#child.stdout) return;
    createInterface({ input: this.#child.stdout.on('error', ignore) }).on('line', (line) => {
      if (this.#read(line)) first.resolve();
    });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Of the recording so far. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Why it recorded nothing. */
  get failure(): SandboxError | undefined {
    return this.#failure;
  }

  /** Why it ended by itself. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Ends the file in order, and kills ffmpeg if that takes longer than `ms`. */
  async stop(ms: number): Promise<void> {
    if (!this.#isRunning) return;
    this.#isStopped = true;
    this.#child.stdin?.write('q');
    if ((await waitFor(this.#ended, { ms })) === 'settled') return;
    this.#child.kill('SIGKILL');
    await waitFor(this.#ended, { ms });
  }

  /** Whether a line of the progress shows a picture. */
  #read(line: string): boolean {
    const [name, value = ''] = line.split('=', 2);
    if (name === 'out_time_us') this.#seconds = Math.max(Number(value) / 1e6 || 0, this.#seconds);
    return name === 'frame' && Number(value) > 0;
  }

  #keep(bytes: Buffer): void {
    this.#messages = (this.#messages + bytes.toString('utf8')).slice(-KEPT_MESSAGES);
  }

  #judge(code: number | null, signal: NodeJS.Signals | null): void {
    this.#reason = this.#reasonOf(code, signal);
    if (this.#seconds > 0 || this.#reason === undefined) return;
    const [kind, hint] =
      this.#reason === DISK_FULL
        ? (['disk_full', 'free some space, or choose a save_path on another disk'] as const)
        : (['unavailable', 'GET info says whether the display answers'] as const);
    this.#failure ??= new SandboxError(kind, `nothing was recorded: ${this.#reason}`, { hint });
  }

  #reasonOf(code: number | null, signal: NodeJS.Signals | null): string | undefined {
    // Also of a recording that is stopped: its end was not written.
    if (NO_SPACE.some((text) => this.#messages.includes(text))) return DISK_FULL;
    if (this.#isStopped) return undefined;
    if (this.#seconds > 0 && code === 0) return 'max_duration';
    const said = this.#messages.trim().split('\n').at(-1) ?? '';
    return signal === null ? `ffmpeg ended: ${said || code}` : `ffmpeg was ended by ${signal}`;
  }
}
