import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { TestWorker } from '../worker.fixture.ts';
import { probe } from './video.fixture.ts';

const run = promisify(execFile);
const URL = '/v2/computer/record';

describe.skipIf(!has('ffmpeg'))('recording of the display', () => {
  let worker: TestWorker;
  let directory: Awaited<ReturnType<typeof tempDir>>;

  const at = (name: string): string => join(directory.path, name);

  beforeAll(async () => {
    directory = await tempDir();
    worker = await TestWorker.start('321x201', ['-rfbunixpath', at('vnc')]);
  });

  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  const record = async (body: object, status = 200): Promise<Record<string, unknown>> => {
    const answer = await worker.json(status, 'POST', URL, body);
    return status === 200 ? (answer['data'] as Record<string, unknown>) : answer;
  };
  const lasting = (seconds: number): Promise<void> =>
    expect.poll(async () => Number((await record({ action: 'status' }))['duration'])).toBeGreaterThanOrEqual(seconds);
  /** The ffmpeg that records the display. */
  const recorderOf = async ({ server }: TestWorker): Promise<number> => {
    const { stdout } = await run('pgrep', ['-f', `^ffmpeg .* -i ${server.display} .*pipe:1$`]);
    return Number(stdout.trim());
  };

  test('[record.file] start, status and stop make an MP4 of the display', async () => {
    expect(await record({ action: 'status' })).toMatchObject({ status: 'idle', save_path: null, duration: 0 });
    expect(await record({ action: 'stop' })).toMatchObject({ status: 'idle' });
    const path = at('new/day.mp4');
    const begun = await record({ action: 'start', save_path: path, fps: 10, crf: 30 });
    expect(begun).toMatchObject({ status: 'recording', save_path: path });
    await lasting(1);
    const ended = await record({ action: 'stop' });
    expect(ended).toMatchObject({ status: 'stopped', save_path: path, reason: null });
    const { size } = await stat(path);
    expect([ended['file_size_bytes'], Number(ended['duration']) >= 1]).toEqual([size, true]);
    const video = await probe(path);
    // H.264 has even sides.
    expect(video).toMatchObject({ width: 320, height: 200 });
    expect(video.frames >= 10 && video.frames < Number(ended['duration']) * 10 + 5).toBe(true);
  });

  test('[record.one] a second recording is refused, and may begin after the end of the first', async () => {
    await record({ action: 'start', save_path: at('first.mp4') });
    const second = await record({ action: 'start', save_path: at('second.mp4') }, 409);
    expect(second).toMatchObject({ success: false, hint: expect.stringContaining('stop') });
    await record({ action: 'stop' });
    await expect(stat(at('second.mp4'))).rejects.toThrow('ENOENT');
    expect(await record({ action: 'start', save_path: at('second.mp4') })).toMatchObject({ status: 'recording' });
    await record({ action: 'stop' });
  });

  test('[record.duration] it stops by itself at max_duration', async () => {
    const path = at('short.mp4');
    await record({ action: 'start', save_path: path, fps: 10, max_duration: 1 });
    const status = async () => record({ action: 'status' });
    await expect.poll(async () => (await status())['status']).toBe('stopped');
    expect(await status()).toMatchObject({ save_path: path, reason: 'max_duration' });
    expect((await probe(path)).frames).toBe(10);
  });

  test('[record.size] one side alone keeps the proportions', async () => {
    await record({ action: 'start', save_path: at('small.mp4'), fps: 10, width: 160 });
    await record({ action: 'stop' });
    expect(await probe(at('small.mp4'))).toMatchObject({ width: 160, height: 100 });
  });

  test('[record.killed] a file whose ffmpeg was killed plays up to there, and the next recording begins', async () => {
    const path = at('killed.mp4');
    await record({ action: 'start', save_path: path, fps: 10 });
    await lasting(2.5);
    process.kill(await recorderOf(worker), 'SIGKILL');
    await expect.poll(async () => (await record({ action: 'status' }))['status']).toBe('stopped');
    expect(await record({ action: 'status' })).toMatchObject({ reason: expect.stringContaining('SIGKILL') });
    expect((await probe(path)).frames).toBeGreaterThanOrEqual(10);
    expect(await record({ action: 'start', save_path: at('next.mp4') })).toMatchObject({ status: 'recording' });
    expect(await record({ action: 'stop' })).toMatchObject({ status: 'stopped', save_path: at('next.mp4') });
  });

  test.each([
    ['fps', { fps: 31 }, 422],
    ['fps', { fps: 0 }, 422],
    ['crf', { crf: 52 }, 422],
    ['crf', { crf: -1 }, 422],
    ['max_duration', { max_duration: 0 }, 422],
    ['width', { width: 0 }, 422],
    ['action', { action: 'pause' }, 422],
    ['save_path', { save_path: 'relative.mp4' }, 400],
    ['save_path', { save_path: '/tmp' }, 400],
    ['save_path', { save_path: '/etc/hostname/x.mp4' }, 400],
    ['save_path', { save_path: '/tmp/record.avi' }, 400],
  ])('[record.bounds] %s is refused: %o', async (field, body, status) => {
    const answer = await record({ action: 'start', ...body }, status);
    expect(JSON.stringify(answer)).toContain(field);
    expect(await record({ action: 'status' })).not.toMatchObject({ status: 'recording' });
  });

  test('[record.info] info says that there are recordings', async () => {
    const { data } = await worker.json(200, 'GET', '/v2/computer/info');
    expect(data).toMatchObject({ capabilities: { recording: true, accessibility: false } });
  });
});

test.skipIf(!has('X server'))(
  '[record.no-display] without a display nothing is recorded: 503, with a hint',
  async () => {
    await using directory = await tempDir();
    await using worker = await TestWorker.start('800x600', ['-rfbunixpath', join(directory.path, 'vnc')]);
    await worker.server.kill();
    const answer = await worker.json(503, 'POST', URL, { action: 'start' });
    expect(answer['hint']).toEqual(expect.any(String));
  },
);
