import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { ffmpegArguments, outputSize } from './ffmpeg.ts';
import { FfmpegProcess, PROGRAM_DIRECTORIES } from './ffmpeg-process.ts';
import type { RecordingState, RecordingTerms, Size } from './recording-terms.ts';
import { prepareFile, removeEmpty } from './save-path.ts';

export interface RecorderTerms {
  readonly display: string;
  readonly xauthority: string | undefined;
  /** @throws SandboxError where there is no display */
  readonly screenSize: () => Promise<Size>;
  readonly logger: Logger;
}

/** Milliseconds for ffmpeg to write its first picture, and to end the file. */
export const FIRST_PICTURE_MS = 10_000;
export const END_MS = 5_000;

interface Recording {
  readonly path: string;
  readonly process: FfmpegProcess;
}

/** One recording of the display at a time. The last one stays known until the next begins. */
export class Recorder implements AsyncDisposable {
  readonly #terms: RecorderTerms;
  #recording: Recording | undefined;
  #isStarting = false;

  constructor(terms: RecorderTerms) {
    this.#terms = terms;
  }

  /** Whether ffmpeg is there. */
  async isAvailable(): Promise<boolean> {
    const looks = PROGRAM_DIRECTORIES.map((directory) => access(join(directory, 'ffmpeg'), constants.X_OK));
    return (await Promise.allSettled(looks)).some(({ status }) => status === 'fulfilled');
  }

  /** @throws SandboxError `conflict` where a recording runs */
  async start(terms: RecordingTerms): Promise<RecordingState> {
    if (this.#isStarting || this.#recording?.process.isRunning) {
      throw new SandboxError('conflict', 'a recording runs already', {
        hint: 'stop it first, or ask for its status',
        data: { savePath: this.#recording?.path ?? null },
      });
    }
    this.#isStarting = true;
    try {
      return await this.#begin(terms);
    } finally {
      this.#isStarting = false;
    }
  }

  async status(): Promise<RecordingState> {
    if (!this.#recording) return IDLE;
    const { path, process } = this.#recording;
    const size = await stat(path).then(
      ({ size: bytes }) => bytes,
      () => undefined,
    );
    const status = process.isRunning ? 'recording' : 'stopped';
    return { status, savePath: path, duration: process.seconds, fileSize: size, reason: process.reason };
  }

  /** Ends the recording; where none runs, answers what the last one was. */
  async stop(): Promise<RecordingState> {
    await this.#recording?.process.stop(END_MS);
    return this.status();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #begin({ savePath, fps, crf, maxDuration, width, height }: RecordingTerms): Promise<RecordingState> {
    const { display, xauthority, screenSize, logger } = this.#terms;
    const size = await screenSize();
    const path = await prepareFile(savePath);
    const output = outputSize(size, width, height);
    const args = ffmpegArguments({ display, fps, crf, maxDuration, size, output, path });
    const process = new FfmpegProcess(args, { display, xauthority }, logger);
    const end = await waitFor(process.firstPicture, { ms: FIRST_PICTURE_MS });
    if (end !== 'settled' || process.failure !== undefined) {
      await process.stop(END_MS);
      await removeEmpty(path);
      throw process.failure ?? new SandboxError('unavailable', 'ffmpeg records nothing', { hint: 'try again' });
    }
    this.#recording = { path, process };
    logger.info({ path, fps, crf, ...output }, 'recording started');
    return this.status();
  }
}

const IDLE: RecordingState = {
  status: 'idle',
  savePath: undefined,
  duration: 0,
  fileSize: undefined,
  reason: undefined,
};
