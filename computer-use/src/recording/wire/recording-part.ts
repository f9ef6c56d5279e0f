import type { App } from '@sandbox/api/http/app-types.ts';
import { RECORD } from '@sandbox/api/http/computer/record.ts';
import { ok } from '@sandbox/api/http/envelope.ts';
import type { PartState, WorkerPart } from '../../part.ts';
import type { Recorder } from '../recorder.ts';
import type { RecordingState } from '../recording-terms.ts';

/** Serves recordings of the display. */
export class RecordingPart implements WorkerPart {
  readonly name = 'recording';
  readonly #recorder: Recorder;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  async state(): Promise<PartState> {
    if (await this.#recorder.isAvailable()) return { available: true };
    return { available: false, warning: 'recording is unavailable: ffmpeg not found' };
  }

  mount(app: App): void {
    app.route({
      ...RECORD,
      handler: async ({ body }) => {
        const { action, save_path, fps, crf, max_duration, width, height } = body;
        if (action === 'status') return answer(await this.#recorder.status());
        if (action === 'stop') return answer(await this.#recorder.stop());
        const terms = { savePath: save_path, fps, crf, maxDuration: max_duration, width, height };
        return answer(await this.#recorder.start(terms));
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#recorder[Symbol.asyncDispose]();
  }
}

function answer({ status, savePath, duration, fileSize, reason }: RecordingState) {
  const place = { save_path: savePath ?? null, file_size_bytes: fileSize ?? null, reason: reason ?? null };
  return ok({ status, duration, ...place }, status);
}
