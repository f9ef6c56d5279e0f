import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Forwarder } from '../../../../../images/proxy/forwarder.ts';
import { upstreamOf } from '../../../../../images/proxy/upstream.ts';
import { freePort } from '../../../../../scripts/testing/free-port.ts';
import { has } from '../../../../../scripts/testing/machine.ts';
import { BrowserBench, type TestTab } from '../chromium.fixture.ts';
import { reasonOf } from './failure-reason.ts';
import { isAddress } from './wait.ts';

test('[browser.navigate-failure] the names of network errors are told apart', () => {
  const names =
    'NAME_NOT_RESOLVED CONNECTION_REFUSED CERT_DATE_INVALID SSL_PROTOCOL_ERROR BLOCKED_BY_CLIENT TIMED_OUT ABORTED FAILED';
  expect(names.split(' ').map((name) => reasonOf(`net::ERR_${name}`))).toEqual(
    'dns refused tls tls blocked timeout aborted network'.split(' '),
  );
});

test('[browser.wait] an address is matched by a part of it, or whole with stars', () => {
  const url = 'https://a.example/one/two?q=1';
  for (const wanted of ['/one/', '*', 'https://*', '*/one/*q=1', '**two?q=*'])
    expect([wanted, isAddress(url, wanted)]).toEqual([wanted, true]);
  for (const wanted of ['/three', '*/one', 'http:*', '*two*one*', 'https://a.example/one/two?q=1*1']) {
    expect([wanted, isAddress(url, wanted)]).toEqual([wanted, false]);
  }
});

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await BrowserBench.start();
    const { pages } = bench.site;
    pages['/to'] = (_request, response) => response.writeHead(302, { location: '/page' }).end();
    pages['/page'] = '<title>Page</title><h1>here</h1>';
    pages['/other'] = '<title>Other</title>';
    pages['/loop'] = (_request, response) => response.writeHead(302, { location: '/loop' }).end();
    pages['/empty404'] = (_request, response) => response.writeHead(404).end();
    pages['/204'] = (_request, response) => response.writeHead(204).end();
    pages['/file'] = (_request, response) =>
      response.writeHead(200, { 'content-disposition': 'attachment; filename="a.bin"' }).end('x');
    pages['/hang'] = () => undefined;
    pages['/slow'] = '<title>Slow</title><h1>slow</h1><img src="/hang">';
    pages['/reset'] = (request) => request.socket.destroy();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  async function go(tab: TestTab, body: object) {
    const answer = await tab.post('navigate', body);
    const { success, message, data } = answer.json();
    return { status: answer.statusCode, success, message, data };
  }

  test('[browser.navigate] url, title, status and tab_id of where it arrived; each wait_until', async () => {
    await using tab = await bench.open(bench.site.url('/other'));
    expect((await go(tab, { url: bench.site.url('/to') })).data).toEqual({
      url: bench.site.url('/page'),
      title: 'Page',
      status: 200,
      tab_id: tab.id,
      error: null,
      opened: [],
      download: null,
      dialog: null,
      navigated: bench.site.url('/page'),
    });
    for (const wait_until of ['commit', 'domcontentloaded', 'load', 'networkidle']) {
      const url = bench.site.url(`/page?${wait_until}`);
      expect(await go(tab, { url, wait_until })).toMatchObject({ success: true, data: { url, status: 200 } });
    }
    expect((await go(tab, { url: bench.site.url('/none') })).data).toMatchObject({ status: 404, error: null });
    expect((await go(tab, { url: bench.site.url('/empty404') })).data).toMatchObject({ status: 404, error: null });
    await go(tab, { url: bench.site.url('/page') });
    expect(await go(tab, { url: bench.site.url('/204') })).toMatchObject({ success: true, data: { status: 204 } });
    expect(await go(tab, { url: bench.site.url('/page#a') })).toMatchObject({ success: true });
    expect((await go(tab, { url: bench.site.url('/slow'), wait_until: 'domcontentloaded' })).success).toBe(true);
  });

  test('[browser.navigate-history] back, forward, reload; without an entry 409', async () => {
    await using tab = await bench.open(bench.site.url('/page'));
    await go(tab, { url: bench.site.url('/other') });
    expect((await go(tab, { history: 'back' })).data).toMatchObject({ title: 'Page' });
    expect((await go(tab, { history: 'forward' })).data).toMatchObject({ title: 'Other' });
    expect((await go(tab, { history: 'reload' })).data).toMatchObject({ title: 'Other', status: 200 });
    expect((await go(tab, { history: 'forward' })).status).toBe(409);
    for (const body of [{}, { url: 'http://a/', history: 'back' }]) expect((await go(tab, body)).status).toBe(400);
  });

  test('[browser.navigate-failure] each failure has its reason, and the next call works', async () => {
    await using tab = await bench.open(bench.site.url('/page'));
    const port = await freePort();
    const plain = new URL(bench.site.url('/')).port;
    const failures: readonly (readonly [object, string])[] = [
      [{ url: 'http://no.such.host.invalid/' }, 'dns'],
      [{ url: `http://127.0.0.1:${port}/` }, 'refused'],
      [{ url: `https://127.0.0.1:${plain}/` }, 'tls'],
      [{ url: 'http://127.0.0.1:1/' }, 'blocked'],
      [{ url: bench.site.url('/loop') }, 'redirects'],
      [{ url: bench.site.url('/file') }, 'download'],
      [{ url: bench.site.url('/reset') }, 'network'],
      [{ url: 'file:///no/such/file' }, 'not_found'],
      [{ url: bench.site.url('/hang'), timeout: 0.5 }, 'timeout'],
      [{ url: bench.site.url('/slow'), timeout: 0.5 }, 'timeout'],
    ];
    for (const [body, reason] of failures) {
      const answer = await go(tab, body);
      expect([reason, answer.status, answer.success, answer.data?.error?.reason]).toEqual([reason, 200, false, reason]);
      const back = await go(tab, { url: bench.site.url('/page') });
      expect([reason, back.success, back.message]).toEqual([reason, true, expect.any(String)]);
    }
    expect((await go(tab, { url: bench.site.url('/file') })).data.download).toMatchObject({
      url: bench.site.url('/file'),
      filename: 'a.bin',
    });
    for (const url of ['foo', 'javascript:alert(1)', '//x'])
      expect([url, (await go(tab, { url })).status]).toEqual([url, 400]);
    expect((await go(tab, { url: 'chrome://version' })).success).toBe(true);
    expect((await go(tab, { url: 'file:///etc/hostname' })).success).toBe(true);
  });

  test('[browser.navigate-failure] a failure names the address that failed and no title of another page', async () => {
    await using tab = await bench.open(bench.site.url('/page'));
    const dead = ['http://127.0.0.1:2/x', 'http://nosuch.invalid/', 'http://127.0.0.1:3/'];
    for (const url of [...dead, bench.site.url('/page'), ...dead]) {
      const { success, data } = await go(tab, { url });
      const title = success ? 'Page' : '';
      expect([url, data.url, data.title]).toEqual([url, url, title]);
    }
  });

  test('[browser.navigate-failure] a proxy that the forwarder of the image does not reach is a failure', async () => {
    await using forwarder = new Forwarder(upstreamOf(new URL('http://user:x@127.0.0.1:1')));
    const flags = [`--proxy-server=127.0.0.1:${await forwarder.listen(0)}`, '--proxy-bypass-list=<-loopback>'];
    await using behind = await BrowserBench.start(flags);
    const answer = (await behind.post('navigate', { url: 'http://site.example/a' })).json();
    expect(answer).toMatchObject({ success: false, message: 'the proxy of the browser failed' });
    expect(answer.data).toMatchObject({
      url: 'http://site.example/a',
      title: '',
      error: { reason: 'proxy', code: null },
    });
  });

  test('[browser.navigate-failure] a TLS handshake that hangs ends with its timeout', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await using _closed = { [Symbol.asyncDispose]: async () => void silent.close() };
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    await using tab = await bench.open(bench.site.url('/page'));
    expect((await go(tab, { url: `https://127.0.0.1:${port}/`, timeout: 0.5 })).data.error.reason).toBe('timeout');
    expect((await go(tab, { url: bench.site.url('/page') })).success).toBe(true);
  });

  test('[browser.wait] each thing that can be waited for; too late is 503, nonsense 400', async () => {
    await using tab = await bench.page(`<div id=d></div><script>setTimeout(() => {
      d.innerHTML = '<p id=p>come</p>'; history.pushState(0, '', '/come?now'); window.ready = true; }, 200)</script>`);
    const wait = async (body: object) => (await tab.post('wait', body)).json();
    expect((await wait({ selector: '#p' })).data).toMatchObject({ matched: 'selector', value: '#p', tab_id: tab.id });
    expect((await wait({ for: 'text', value: 'come' })).data.matched).toBe('text');
    expect((await wait({ url: '*/come?*' })).data.url).toBe(bench.site.url('/come?now'));
    expect((await wait({ for: 'load' })).data.matched).toBe('load');
    expect((await wait({ for: 'networkidle' })).data.matched).toBe('networkidle');
    expect((await wait({ function: '() => window.ready' })).data.matched).toBe('function');
    const late = await tab.post('wait', { text: 'never', timeout: 0.2 });
    expect([late.statusCode, late.json().hint]).toEqual([503, expect.stringContaining('snapshot')]);
    for (const body of [{}, { for: 'text' }, { selector: 'a[' }, { function: 'a b' }, { text: 'a', url: 'b' }]) {
      expect([body, (await tab.post('wait', body)).statusCode]).toEqual([body, 400]);
    }
  });
});
