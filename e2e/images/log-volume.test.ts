import { expect, test } from 'vitest';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { NO_KERNELS, startSandbox } from './sandbox.ts';

/** A turn is what is typical of a minute; the test makes the turns of 20 minutes without the pauses. */
const TURNS = 20;
const TURNS_OF_HOUR = 60;
/** Ten calls an hour fail. */
const TURNS_A_FAILURE = 6;
const LINES_MAX = 200;
/** What a boot may write of them. */
const BOOT_LINES = 30;

test('[log.volume] the boot and an hour of typical use, scaled from 20 minutes, write under 200 lines', async () => {
  await using sandbox = await startSandbox({ image: DESKTOP_IMAGE, env: NO_KERNELS });
  await sandbox.post('/v2/browser/start', {});
  // The page of the sandbox asks for its state as long as it is open.
  await sandbox.post('/v2/browser/navigate', { url: 'http://127.0.0.1:8080/' });
  const lines = (): string[] => sandbox.rawLog.trimEnd().split('\n');
  const boot = lines();
  expect(boot.length, sandbox.log).toBeLessThan(BOOT_LINES);
  await sandbox.post('/v2/browser/tabs', { url: 'about:blank' });
  for (let turn = 0; turn < TURNS; turn++) {
    // What pages and platforms ask again and again.
    for (const path of ['/', '/health?ready', '/ready', '/v2/sandbox/activity', '/metrics']) await sandbox.fetch(path);
    await sandbox.run(`echo ${turn} >>notes; ls | wc -l`);
    await sandbox.post('/v2/code/execute', { language: 'python', code: `${turn} + 1` });
    await sandbox.post('/v2/browser/navigate', { url: `data:text/html,<p>${turn}</p>` });
    await sandbox.fetch('/v2/computer/screenshot');
    await sandbox.fetch('/v2/fs/list?path=/home/sandbox');
    if (turn % TURNS_A_FAILURE === 0) await sandbox.fetch(`/v2/fs/read?path=/missing-${turn}`);
  }
  const failed = () =>
    lines()
      .slice(boot.length)
      .filter((line) => JSON.parse(line).status === 404).length;
  await expect.poll(failed).toBe(Math.ceil(TURNS / TURNS_A_FAILURE));
  const work = lines().slice(boot.length);
  expect(boot.length + (work.length * TURNS_OF_HOUR) / TURNS, work.join('\n')).toBeLessThan(LINES_MAX);
});
