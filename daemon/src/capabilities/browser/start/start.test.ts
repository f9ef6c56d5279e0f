import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { BrowserStarter } from './browser-starter.ts';

/** Reads a FIFO as the supervisor does, and says when it is asked. */
const SUPERVISOR = 'exec 3<>"$0"; echo listening; while read -r request <&3; do echo asked; done';

interface Supervisor extends AsyncDisposable {
  readonly fifo: string;
  /** How often it was asked. */
  readonly asked: () => number;
}

async function supervisor(directory: string, onRequest: () => void): Promise<Supervisor> {
  const fifo = join(directory, 'start-browser');
  execFileSync('mkfifo', [fifo]);
  const child = spawn('sh', ['-c', SUPERVISOR, fifo], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  let asked = 0;
  lines.on('line', () => {
    asked += 1;
    onRequest();
  });
  return {
    fifo,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** DevTools that answer once they have been started. */
async function startable(): Promise<AsyncDisposable & { readonly port: number; start: () => void }> {
  let runs = false;
  const browser = createServer((request, response) => {
    if (runs) response.end('{"Browser":"Chrome/1.2"}');
    else request.socket.destroy();
  });
  await once(browser.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (browser.address() as AddressInfo).port,
    start: () => {
      runs = true;
    },
    async [Symbol.asyncDispose]() {
      browser.closeAllConnections();
      await new Promise((resolve) => browser.close(resolve));
    },
  };
}

test.each(['/v1', '/v2'])(
  '[browser.start] POST %s/browser/start asks the supervisor and waits for the browser',
  async (prefix) => {
    await using directory = await tempDir();
    await using browser = await startable();
    await using asks = await supervisor(directory.path, browser.start);
    await using daemon = await TestApp.start({ browserPort: browser.port, browserStarter: asks.fifo });
    const url = `${prefix}/browser/start`;
    const [first, second] = await Promise.all([1, 2].map(() => daemon.inject({ method: 'POST', url })));
    const started = { version: 'Chrome/1.2', started: true };
    expect([first?.json().data, second?.json().data]).toEqual([started, started]);
    const again = await daemon.inject({ method: 'POST', url });
    expect([again.statusCode, again.json().data]).toEqual([200, { ...started, started: false }]);
    // Callers at the same time share one start, and a browser that runs is not asked for.
    expect(asks.asked()).toBe(1);
  },
);

test('[browser.start-unsupported] POST /v2/browser/start is 501 with a hint where no supervisor reads', async () => {
  await using directory = await tempDir();
  const plain = join(directory.path, 'plain');
  await writeFile(plain, '');
  const abandoned = join(directory.path, 'abandoned');
  execFileSync('mkfifo', [abandoned]);
  for (const browserStarter of [undefined, join(directory.path, 'missing'), plain, abandoned]) {
    await using daemon = await TestApp.start({ browserPort: 1, browserStarter });
    const answer = await daemon.inject({ method: 'POST', url: '/v2/browser/start' });
    expect([answer.statusCode, answer.json().hint]).toEqual([501, expect.stringContaining('--remote-debugging-port')]);
  }
});

test('[browser.start-failed] a browser that does not answer in time is unavailable, and is asked for again meanwhile', async () => {
  await using directory = await tempDir();
  await using asks = await supervisor(directory.path, () => {});
  const starter = new BrowserStarter({ fifo: asks.fifo, version: async () => undefined, startMs: 1_200 });
  await expect(starter.start()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect.poll(asks.asked).toBeGreaterThan(1);
});
