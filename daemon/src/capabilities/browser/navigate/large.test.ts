import { once } from 'node:events';
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { BrowserBench } from '../chromium.fixture.ts';
import { certificateOfTomorrow } from './certificate.fixture.ts';

const MIB = 1024 ** 2;
/** Milliseconds for some hundred megabytes on a busy machine. */
const PATIENCE_MS = 300_000;

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await BrowserBench.start();
    bench.site.pages['/page'] = '<title>Page</title>';
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test(
    '[browser.large] a data URL of 50 MB: refused as an address, shortened where a page has it',
    async () => {
      await using tab = await bench.page('<title>Large</title><p>text</p>');
      const refused = await tab.post('navigate', { url: `data:text/html,${'x'.repeat(50 * MIB)}` });
      expect([refused.statusCode, refused.json().success]).toEqual([413, false]);
      const long = await tab.post('navigate', { url: `data:text/html,${'x'.repeat(3 * MIB)}` });
      expect([long.statusCode, long.json().message]).toEqual([
        400,
        expect.stringContaining('is over 2097152 characters'),
      ]);
      const size = await tab.value(
        'fetch("data:text/plain," + "x".repeat(50 * 2 ** 20)).then((response) => response.text()).then((text) => text.length)',
      );
      expect(size).toBe(50 * MIB);
      await tab.value(
        'document.body.append(Object.assign(new Image(), { src: "data:image/png," + "x".repeat(50 * 2 ** 20) })), 0',
      );
      await tab.value(
        'document.body.append(Object.assign(document.createElement("a"), { href: "data:text/plain," + "y".repeat(50 * 2 ** 20), textContent: "link" })), 0',
      );
      expect((await tab.text()).length).toBeLessThan(2000);
      const logged = async () => (await bench.get(`network/requests?filter=data:&tab_id=${tab.id}`)).json().data;
      await expect.poll(async () => (await logged()).length).toBeGreaterThan(0);
      for (const { url } of await logged()) expect(url.length).toBeLessThanOrEqual(101);
      const tooLong = await tab.post('evaluate', { expression: '"x".repeat(50 * 2 ** 20)' });
      expect(tooLong.json()).toMatchObject({ success: false, message: expect.stringContaining('is over') });
      expect(await tab.value('1 + 1')).toBe(2);
    },
    PATIENCE_MS,
  );

  test('[browser.large] a download of 200 MB that is cut in the middle: a download at once, and the next call works', async () => {
    const cut = Promise.withResolvers<void>();
    bench.site.pages['/big'] = (_request, response) => {
      const disposition = 'attachment; filename="big.bin"';
      response.writeHead(200, { 'content-length': 200 * MIB, 'content-disposition': disposition });
      response.write(Buffer.alloc(8 * MIB), () => void cut.promise.then(() => response.destroy()));
    };
    await using tab = await bench.open(bench.site.url('/page'));
    const answer = (await tab.post('navigate', { url: bench.site.url('/big') })).json();
    expect(answer).toMatchObject({
      success: false,
      data: { error: { reason: 'download' }, download: { filename: 'big.bin' }, url: bench.site.url('/page') },
    });
    cut.resolve();
    const [request] = (await bench.get(`network/requests?filter=/big&tab_id=${tab.id}`)).json().data;
    expect(request).toMatchObject({ url: bench.site.url('/big'), status: 200 });
    expect((await tab.post('navigate', { url: bench.site.url('/page') })).json().success).toBe(true);
    // A page that is cut off shows the part that arrived; the fetch of a script fails.
    bench.site.pages['/half'] = (_request, response) => {
      response.writeHead(200, { 'content-length': 200 * MIB, 'content-type': 'text/html' });
      response.write('<title>Half</title><p>came</p>', () => setImmediate(() => response.destroy()));
    };
    const half = (await tab.post('navigate', { url: bench.site.url('/half'), timeout: 20 })).json();
    expect([half.data.url, half.data.status]).toEqual([bench.site.url('/half'), 200]);
    const fetched = await tab.post('evaluate', { expression: 'fetch("/half").then((response) => response.text())' });
    expect(fetched.json()).toMatchObject({ success: false, message: expect.stringMatching(/^TypeError: /) });
    expect((await tab.post('navigate', { url: bench.site.url('/page') })).json().data.title).toBe('Page');
  });

  test('[browser.navigate-failure] a certificate that is not yet valid is a failure of TLS', async () => {
    const server = createServer(certificateOfTomorrow(), (_request, response) => response.end('secret'));
    await using _closed = {
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        server.close();
      },
    };
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { port: number };
    await using tab = await bench.open(bench.site.url('/page'));
    const answer = (await tab.post('navigate', { url: `https://localhost:${port}/` })).json();
    expect([answer.success, answer.data.error]).toEqual([
      false,
      { reason: 'tls', code: expect.stringMatching(/^net::ERR_CERT_/) },
    ]);
    expect((await tab.post('navigate', { url: bench.site.url('/page') })).json().success).toBe(true);
  });
});
