import { describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { TestWorker } from '../worker.fixture.ts';
import { XClientFixture } from '../x-client.fixture.ts';
import { lightAt, pictures } from './video.fixture.ts';

const FPS = 10;
const FIRST_SIZE = '640x480';

/** A recording of a display that changes its size. */
class RecordedDisplay implements AsyncDisposable {
  readonly worker: TestWorker;
  readonly path: string;
  readonly #directory: AsyncDisposable;

  private constructor(worker: TestWorker, directory: AsyncDisposable & { readonly path: string }) {
    this.worker = worker;
    this.path = `${directory.path}/day.mp4`;
    this.#directory = directory;
  }

  static async start(terms: object = {}): Promise<RecordedDisplay> {
    const directory = await tempDir();
    const worker = await TestWorker.start(FIRST_SIZE, ['-rfbunixpath', `${directory.path}/vnc`]);
    const display = new RecordedDisplay(worker, directory);
    await display.record({ action: 'start', fps: FPS, save_path: display.path, ...terms });
    return display;
  }

  async record(body: object): Promise<Record<string, unknown>> {
    const { data } = await this.worker.json(200, 'POST', '/v2/computer/record', body);
    return data as Record<string, unknown>;
  }

  status(): Promise<Record<string, unknown>> {
    return this.record({ action: 'status' });
  }

  async resize(width: number, height: number): Promise<void> {
    await this.worker.json(200, 'POST', '/v2/computer/resolution', { width, height });
  }

  /** Waits for so many more seconds of the recording. */
  async lasts(seconds: number): Promise<void> {
    const from = Number((await this.status())['duration']);
    await expect.poll(async () => Number((await this.status())['duration']) - from).toBeGreaterThanOrEqual(seconds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.worker[Symbol.asyncDispose]();
    await this.#directory[Symbol.asyncDispose]();
  }
}

/** Checks that each picture has the first size and follows the one before it. */
async function checkPictures(path: string): Promise<number[]> {
  const all = await pictures(path);
  expect(new Set(all.map(({ size }) => size))).toEqual(new Set([FIRST_SIZE]));
  const times = all.map(({ seconds }) => seconds);
  for (const [at, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[at] ?? Number.NaN);
  return times;
}

/** Each value once that follows a different one. */
function runs(values: readonly boolean[]): boolean[] {
  return values.filter((value, at) => at === 0 || value !== values[at - 1]);
}

describe.skipIf(!has('ffmpeg') || !has('X server'))('a recording of a display that changes', () => {
  test('[record.resized] it goes on in pictures of the first size when the display shrinks and grows', async () => {
    await using display = await RecordedDisplay.start();
    await using client = await XClientFixture.open(display.worker.server.display);
    await client.window('white', [0, 0, 1000, 1000], 0xffffff);
    await display.lasts(1);
    for (const [width, height] of [
      [320, 400],
      [800, 600],
    ] as const) {
      await display.resize(width, height);
      await display.lasts(2);
    }
    const { duration, ...ended } = await display.record({ action: 'stop' });
    expect(ended).toMatchObject({ status: 'stopped', reason: null });
    const times = await checkPictures(display.path);
    expect(Math.abs((times.at(-1) ?? 0) - Number(duration))).toBeLessThan(0.5);
    // What is missing is the time of the changes.
    expect(times.length).toBeGreaterThanOrEqual(4 * FPS);
    // From the window on: the middle always shows the display, the edge has a black bar while that is narrower.
    const [middle, edge] = await Promise.all([lightAt(display.path, [400, 60]), lightAt(display.path, [20, 60])]);
    const from = middle.indexOf(true);
    expect([runs(middle.slice(from)), runs(edge.slice(from))]).toEqual([[true], [true, false, true]]);
  });

  test('[record.resized] twenty changes at once leave one recording, which goes on', async () => {
    await using display = await RecordedDisplay.start();
    await display.lasts(1);
    for (let round = 0; round < 10; round += 1) {
      await display.resize(400, 300);
      await display.resize(700, 500);
    }
    await display.lasts(2);
    expect(await display.record({ action: 'stop' })).toMatchObject({ status: 'stopped', reason: null });
    expect((await checkPictures(display.path)).length).toBeGreaterThanOrEqual(2 * FPS);
  });

  test('[record.resized] its limit counts from its start', async () => {
    await using display = await RecordedDisplay.start({ max_duration: 4 });
    await display.lasts(1);
    await display.resize(320, 240);
    await expect.poll(() => display.status()).toMatchObject({ status: 'stopped', reason: 'max_duration' });
    const last = (await checkPictures(display.path)).at(-1);
    expect(last).toBeGreaterThan(3);
    expect(last).toBeLessThan(4);
  });

  test('[record.display-ended] the end of the display ends it, and the reason says so', async () => {
    await using display = await RecordedDisplay.start();
    await display.lasts(2);
    await display.worker.server.kill();
    const { display: name } = display.worker.server;
    await expect
      .poll(() => display.status())
      .toMatchObject({ status: 'stopped', reason: expect.stringContaining(`the display ${name} cannot be reached`) });
    expect((await checkPictures(display.path)).length).toBeGreaterThanOrEqual(FPS);
    await display.worker.server.again();
    expect(await display.record({ action: 'start', save_path: display.path })).toMatchObject({ status: 'recording' });
    await display.lasts(1);
    expect(await display.record({ action: 'stop' })).toMatchObject({ status: 'stopped', reason: null });
  });
});
