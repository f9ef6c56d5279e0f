import { type FileHandle, open } from 'node:fs/promises';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { ffmpegArguments, outputSize } from './ffmpeg.ts';
import { type FfmpegEnd, FfmpegProcess } from './ffmpeg-process.ts';
import { Fragments } from './fragments.ts';
import type { RecordingTerms, Size } from './recording-terms.ts';

export interface RecordingPlace {
  readonly display: string;
  readonly xauthority: string | undefined;
  /** @throws SandboxError if there is no display */
  readonly screenSize: () => Promise<Size>;
  readonly logger: Logger;
}

/** Milliseconds without a further change of size, after which the new one is recorded. */
const RESIZE_MS = 200;
/** Milliseconds for ffmpeg to end its pictures. */
export const END_MS = 5_000;
/** Processes in a row that record no picture, such as those that meet the next change of size. */
const MAX_EMPTY = 5;

const DISK_FULL = 'disk full';
const MAX_DURATION = 'max_duration';

interface NewFile {
  readonly path: string;
  readonly size: Size;
}

interface OpenFile extends NewFile {
  readonly file: FileHandle;
}

/** The recording is over; by itself if there is a reason. */
interface RecordingEnd {
  readonly reason?: string;
}

/**
 * One file of the display, up to its limit, its stop or its failure. An ffmpeg records one size of the display; after a
 * change the next one continues in the same file, in pictures of the first size.
 */
export class Recording {
  readonly path: string;
  readonly #terms: RecordingTerms;
  readonly #place: RecordingPlace;
  readonly #firstSize: Size;
  readonly #file: FileHandle;
  readonly #fragments = new Fragments();
  readonly #begun = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #capture: FfmpegProcess;
  #size: Size;
  /** Seconds at which the pictures of the process begin in the file. */
  #start = 0;
  /** The last process with pictures: the time of its last one in the file, in seconds, and when it ended. */
  #last: { readonly seconds: number; readonly endedAt: number } | undefined;
  /** Processes in a row without a picture. */
  #empty = 0;
  /** Bytes of the file. */
  #written = 0;
  #isRunning = true;
  #isStopped = false;
  #isResized = false;
  #resize: NodeJS.Timeout | undefined;
  #reason: string | undefined;

  private constructor(place: RecordingPlace, terms: RecordingTerms, { path, size, file }: OpenFile) {
    this.path = path;
    this.#file = file;
    this.#place = place;
    this.#terms = terms;
    this.#firstSize = size;
    this.#size = size;
    this.#capture = this.#record();
    this.#ended = this.#follow();
  }

  /** Begins to record a display of that size into the empty file `path`. */
  static async start(place: RecordingPlace, terms: RecordingTerms, { path, size }: NewFile): Promise<Recording> {
    return new Recording(place, terms, { path, size, file: await open(path, 'a') });
  }

  /** Settles when there is a picture and the file has its begin, or at the end of a recording without any. */
  get firstPicture(): Promise<void> {
    return this.#begun.promise;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The time of the last picture. */
  get seconds(): number {
    if (this.#capture.pictures === 0) return this.#last?.seconds ?? 0;
    return this.#start + this.#capture.seconds;
  }

  /** Why it ended by itself. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Why it recorded nothing. */
  get failure(): SandboxError | undefined {
    const isEmpty = this.#last === undefined || this.#written === 0;
    if (this.#isRunning || !isEmpty || this.#reason === undefined) return undefined;
    const message = `nothing was recorded: ${this.#reason}`;
    if (this.#reason === DISK_FULL) {
      return new SandboxError('disk_full', message, { hint: 'free some space, or choose a save_path on another disk' });
    }
    return new SandboxError('unavailable', message, { hint: 'GET info says whether the display and ffmpeg are there' });
  }

  /** Ends the file in order, and kills ffmpeg if that takes longer than `END_MS`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#capture.stop(END_MS);
    await waitFor(this.#ended, { ms: END_MS });
  }

  /** The display has changed its size: the new one is recorded once it stays the same for `RESIZE_MS`. */
  displayResized(): void {
    clearTimeout(this.#resize);
    if (this.#isRunning) this.#resize = setTimeout(() => void this.#leaveSize().catch(ignore), RESIZE_MS);
  }

  /** Ends the process if it records another size than the display has now. */
  async #leaveSize(): Promise<void> {
    const capture = this.#capture;
    const size = await this.#place.screenSize();
    if (isSame(size, this.#size) || capture !== this.#capture) return;
    this.#isResized = true;
    await capture.stop(END_MS);
  }

  #record(): FfmpegProcess {
    const { display, xauthority } = this.#place;
    const { fps, crf, maxDuration, width, height } = this.#terms;
    const start = this.#start;
    const args = ffmpegArguments({
      ...{ display, fps, crf, size: this.#size, target: 'pipe:1' },
      maxDuration: maxDuration - start,
      output: outputSize(this.#firstSize, width, height),
      keepsProportions: !isSame(this.#size, this.#firstSize) && (width === undefined || height === undefined),
    });
    const write = async (mp4: AsyncIterable<Buffer>): Promise<void> => {
      for await (const bytes of this.#fragments.of(mp4, start)) {
        await this.#file.appendFile(bytes);
        this.#written += bytes.length;
        this.#noteBegin();
      }
    };
    const capture = new FfmpegProcess(args, { display, xauthority, write });
    void capture.firstPicture.then(() => this.#noteBegin());
    return capture;
  }

  /** ffmpeg writes its first bytes before, or after, it reports the first picture. */
  #noteBegin(): void {
    if (this.#capture.pictures > 0 && this.#written > 0) this.#begun.resolve();
  }

  async #follow(): Promise<void> {
    let end: RecordingEnd | undefined;
    while (end === undefined) {
      const ended = await this.#capture.ended;
      if (this.#capture.pictures > 0) this.#last = { seconds: this.seconds, endedAt: performance.now() };
      this.#empty = this.#capture.pictures > 0 ? 0 : this.#empty + 1;
      end = await this.#endAfter(ended);
      if (end === undefined) this.#capture = this.#record();
    }
    this.#isRunning = false;
    this.#reason = end.reason;
    clearTimeout(this.#resize);
    await this.#file.close().catch(ignore);
    if (end.reason !== undefined) this.#place.logger.warn({ reason: end.reason }, 'recording ended');
    this.#begun.resolve();
  }

  /** The end of the recording after that of a process; undefined if the next process continues. */
  async #endAfter({ isOrderly, reason, writeError }: FfmpegEnd): Promise<RecordingEnd | undefined> {
    if (writeError !== undefined) return { reason: writeReason(writeError) };
    if (this.#isStopped) return {};
    const isExpected = isOrderly || this.#isResized;
    if (!this.#isResized && isOrderly && this.#isFull(this.seconds)) return { reason: MAX_DURATION };
    if (this.#empty === MAX_EMPTY || (!isExpected && this.#empty === 0)) return { reason };
    const size = await this.#place.screenSize().catch(messageOf);
    if (this.#isStopped) return {};
    if (typeof size === 'string') return { reason: size };
    // Its size may have changed before the first picture.
    if (!isExpected && isSame(size, this.#size)) return { reason };
    this.#isResized = false;
    this.#size = size;
    if (this.#last !== undefined) {
      const pause = (performance.now() - this.#last.endedAt) / 1000;
      this.#start = this.#last.seconds + 1 / this.#terms.fps + pause;
    }
    return this.#isFull(this.#start) ? { reason: MAX_DURATION } : undefined;
  }

  /** Whether no picture has a place behind that time. */
  #isFull(seconds: number): boolean {
    return seconds + 2 / this.#terms.fps >= this.#terms.maxDuration;
  }
}

function isSame(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

function writeReason(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' ? DISK_FULL : `the file cannot be written: ${messageOf(error)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
