import { expect, test } from 'vitest';
import { freePort } from '../../../../../scripts/testing/free-port.ts';
import { has } from '../../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { TestBrowser } from '../chromium.fixture.ts';

test.runIf(has('chromium'))(
  '[browser.waits-for-start] calls that arrive while the browser starts wait for it',
  async () => {
    await using directory = await tempDir();
    const browserPort = await freePort();
    const browserStarter = `${directory.path}/start-browser`;
    await using daemon = await TestApp.start({ browserPort, browserStarter, browserStartMode: 'async' });
    const calls = [
      daemon.post('/v2/browser/navigate', { url: 'data:text/html,<title>late</title>' }),
      daemon.inject('/v2/browser/tabs'),
      daemon.post('/v1/browser/evaluate', { expression: '1 + 1' }),
    ];
    await using _browser = await TestBrowser.start([], browserPort);
    const answers = (await Promise.all(calls)).map((answer) => answer.json());
    expect(answers.map(({ success }) => success)).toEqual([true, true, true]);
    expect([answers[0].data.title, answers[2].data.result]).toEqual(['late', 2]);
  },
);

test('[browser.waits-for-start] a call waits no longer than its own timeout', async () => {
  await using directory = await tempDir();
  const config = { browserPort: await freePort(), browserStarter: `${directory.path}/start-browser` };
  await using daemon = await TestApp.start({ ...config, browserStartMode: 'async' });
  const began = performance.now();
  const answer = await daemon.post('/v2/browser/evaluate', { expression: '1', timeout: 0.5 });
  expect([answer.statusCode, answer.json().hint]).toEqual([503, expect.stringContaining('start the browser')]);
  expect(performance.now() - began).toBeGreaterThan(450);
});

test('[browser.manual] with BROWSER_START_MODE=manual a call starts no browser and says what does', async () => {
  await using directory = await tempDir();
  const config = { browserPort: await freePort(), browserStarter: `${directory.path}/start-browser` };
  await using daemon = await TestApp.start({ ...config, browserStartMode: 'manual' });
  for (const url of ['/v2/browser/tabs', '/v2/browser/info', '/v1/browser/screenshot']) {
    const { statusCode, json } = await daemon.inject(url);
    expect([statusCode, json().hint]).toEqual([
      503,
      expect.stringMatching(/MODE is manual: POST \/v2\/browser\/start/),
    ]);
  }
});
