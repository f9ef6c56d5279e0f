import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../../../../scripts/testing/free-port.ts';
import { has } from '../../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { TestBrowser } from '../chromium.fixture.ts';

const PAGE = 'data:text/html,<title>on demand</title>';
const LOOKS = ['tabs', 'info', 'cookies', 'network/requests'] as const;
const ACTS: readonly (readonly [string, (daemon: TestApp) => Promise<{ readonly statusCode: number }>])[] = [
  ['navigate', (daemon) => daemon.post('/v2/browser/navigate', { url: PAGE })],
  ['opening a tab', (daemon) => daemon.post('/v1/browser/tabs', { url: PAGE })],
  ['screenshot', (daemon) => daemon.inject('/v2/browser/screenshot')],
  ['snapshot', (daemon) => daemon.post('/v2/browser/snapshot', {})],
  ['actions', (daemon) => daemon.post('/v1/browser/actions', { action_type: 'MOVE_TO', x: 1, y: 1 })],
];

/** Looks for requests in a FIFO that it also holds open, as a supervisor does. */
async function requests(fifo: string): Promise<{ readonly any: () => Promise<boolean> } & AsyncDisposable> {
  execFileSync('mkfifo', [fifo]);
  const handle = await open(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  return {
    any: () =>
      handle.read(Buffer.alloc(100)).then(
        ({ bytesRead }) => bytesRead > 0,
        () => false,
      ),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

test.runIf(has('chromium')).each(ACTS)(
  '[browser.on-demand] %s starts a browser with SVC_BROWSER_ON_DEMAND, and looking does not',
  { timeout: 120_000 },
  async (_name, act) => {
    await using directory = await tempDir();
    const browserStarter = `${directory.path}/start-browser`;
    await using asked = await requests(browserStarter);
    const browserPort = await freePort();
    const config = { browserPort, browserStarter, browserStartMode: 'manual', browserOnDemand: true } as const;
    await using daemon = await TestApp.start(config);
    for (const path of LOOKS) expect((await daemon.inject(`/v2/browser/${path}`)).statusCode).toBe(503);
    expect((await daemon.inject('/v1/capabilities')).statusCode).toBe(200);
    expect(await asked.any()).toBe(false);
    const call = act(daemon);
    await expect.poll(() => asked.any()).toBe(true);
    await using _browser = await TestBrowser.start([], browserPort);
    expect((await call).statusCode).toBe(200);
  },
);

test('[browser.on-demand] without the option, or without a supervisor, a call that acts is 503', async () => {
  await using directory = await tempDir();
  const browserStarter = `${directory.path}/start-browser`;
  await using asked = await requests(browserStarter);
  const config = { browserPort: await freePort(), browserStartMode: 'manual' } as const;
  for (const more of [{ browserStarter }, { browserOnDemand: true }]) {
    await using daemon = await TestApp.start({ ...config, ...more });
    for (const [, act] of ACTS) expect((await act(daemon)).statusCode).toBe(503);
  }
  expect(await asked.any()).toBe(false);
});
