import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { PROGRAM_DIRECTORIES } from './ffmpeg-process.ts';
import { Recording, type RecordingPlace } from './recording.ts';
import type { RecordingState, RecordingTerms } from './recording-terms.ts';
import { prepareFile, removeEmpty } from './save-path.ts';

/** Milliseconds until the first picture. */
export const FIRST_PICTURE_MS = 10_000;

/** One recording of the display at a time. The last one stays known until the next begins. */
export class Recorder implements AsyncDisposable {
  readonly #place: RecordingPlace;
  #recording: Recording | undefined;
  #isStarting = false;

  constructor(place: RecordingPlace) {
    this.#place = place;
  }

  /** Whether ffmpeg is there. */
  async isAvailable(): Promise<boolean> {
    const looks = PROGRAM_DIRECTORIES.map((directory) => access(join(directory, 'ffmpeg'), constants.X_OK));
    return (await Promise.allSettled(looks)).some(({ status }) => status === 'fulfilled');
  }

  /** @throws SandboxError `conflict` if a recording runs */
  async start(terms: RecordingTerms): Promise<RecordingState> {
    if (this.#isStarting || this.#recording?.isRunning) {
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
    const { path, isRunning, seconds, reason } = this.#recording;
    const size = await stat(path).then(
      ({ size: bytes }) => bytes,
      () => undefined,
    );
    const status = isRunning ? 'recording' : 'stopped';
    return { status, savePath: path, duration: seconds, fileSize: size, reason };
  }

  /** Ends the recording; where none runs, answers what the last one was. */
  async stop(): Promise<RecordingState> {
    await this.#recording?.stop();
    return this.status();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** The display has changed its size, or may have. */
  displayResized(): void {
    this.#recording?.displayResized();
  }

  async #begin(terms: RecordingTerms): Promise<RecordingState> {
    const size = await this.#place.screenSize();
    const path = await prepareFile(terms.savePath);
    const recording = await Recording.start(this.#place, terms, { path, size });
    const end = await waitFor(recording.firstPicture, { ms: FIRST_PICTURE_MS });
    if (end !== 'settled' || recording.failure !== undefined) {
      await recording.stop();
      await removeEmpty(path);
      throw recording.failure ?? new SandboxError('unavailable', 'ffmpeg records nothing', { hint: 'try again' });
    }
    this.#recording = recording;
    this.#place.logger.info({ path, fps: terms.fps, crf: terms.crf, ...size }, 'recording started');
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
