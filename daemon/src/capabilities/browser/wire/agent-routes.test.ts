import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { BrowserBench } from '../chromium.fixture.ts';

const REMOVED = ['state', 'page', 'restart', 'captcha', 'proxy.pac', 'network/route', 'network/headers'];

describe.skipIf(!has('chromium'))('with a browser', () => {
  let bench: BrowserBench;

  beforeAll(async () => {
    bench = await BrowserBench.start();
    bench.site.pages['/file'] = (_request, response) => {
      response
        .writeHead(200, { 'content-disposition': 'attachment; filename=b.bin', 'content-type': 'x/y' })
        .end('bytes');
    };
  }, 100_000);

  afterAll(() => bench[Symbol.asyncDispose]());

  test('[browser.dialog-route] a dialog is shown and answered, by default it waits, and the policy answers it', async () => {
    await using tab = await bench.page('<title>ask</title>', '/ask');
    const ask = (text: string) =>
      tab.post('cdp', { method: 'Runtime.evaluate', params: { expression: text }, timeout: 3 });
    const asked = ask('globalThis.said = prompt("name?")');
    const dialog = { type: 'prompt', message: 'name?' };
    await expect.poll(async () => (await bench.get(`dialog?tab_id=${tab.id}`)).json().data.dialog).toEqual(dialog);
    const answered = await tab.post('dialog', { accept: true, prompt_text: 'ann' });
    expect(answered.json().data).toEqual({ dialog, policy: 'wait', tab_id: tab.id });
    await asked;
    expect(await tab.value('said')).toBe('ann');
    expect((await tab.post('dialog', { accept: true })).statusCode).toBe(409);
    const nothing = await bench.post('dialog', {});
    expect([nothing.statusCode, nothing.json().message]).toEqual([400, 'accept or policy is required']);
    for (const [policy, said] of [
      ['accept', true],
      ['dismiss', false],
    ]) {
      expect((await bench.post('dialog', { policy })).json().data).toMatchObject({ policy, dialog: null });
      expect(await tab.value('confirm("sure?")')).toBe(said);
    }
    expect((await bench.daemon.post('/v1/browser/dialog', { policy: 'wait' })).json().data.policy).toBe('wait');
  });

  test('[browser.pdf] a page is printed as PDF; pages that it does not have are 400', async () => {
    await using tab = await bench.page('<title>print</title><h1>printed</h1>', '/print');
    for (const query of ['', '&paper=letter&landscape=true&scale=0.5&pages=1&background=false&margin=0']) {
      const answer = await bench.get(`pdf?tab_id=${tab.id}${query}`);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
      expect(answer.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
    }
    for (const query of ['pages=7-9', 'pages=x']) {
      const refused = await bench.get(`pdf?tab_id=${tab.id}&${query}`);
      expect([refused.statusCode, refused.json().message]).toEqual([400, expect.stringContaining('pages')]);
    }
    expect((await bench.get(`pdf?tab_id=${tab.id}&paper=a9`)).statusCode).toBe(422);
  });

  test('[browser.hover] [browser.drag] [browser.select] the pointer, a drag by reference and options of a list', async () => {
    await using tab = await bench.page(
      `<title>hands</title><style>#tip { display: none } #name:hover + #tip { display: block }</style>
      <button id=name>name</button><div id=tip>the tip</div><div id=from draggable=true role=button>from</div>
      <div id=to role=button ondragover="event.preventDefault()" ondrop="document.title = 'dropped'">to</div>
      <select aria-label=sizes multiple><option>small<option>medium<option>large</select>`,
      '/hands',
    );
    expect((await tab.post('hover', { selector: '#name' })).json()).toMatchObject({
      success: true,
      data: { opened: [] },
    });
    expect(await tab.text()).toContain('the tip');
    const from = await tab.ref('"from"');
    const to = await tab.ref('"to"');
    const dragged = await tab.post('drag', { ref: from, to: { ref: to } });
    expect([dragged.statusCode, dragged.json().success]).toEqual([200, true]);
    expect(await tab.value('document.title')).toBe('dropped');
    const chosen = await tab.post('select', { selector: 'select', values: ['small', 'large'] });
    expect(chosen.json()).toMatchObject({ success: true, data: { value: 'small, large' } });
    expect((await tab.post('select', { selector: '#name', values: ['x'] })).statusCode).toBe(400);
    const missing = (await tab.post('select', { selector: 'select', values: ['huge'] })).json().message;
    expect(missing).toBe('values option not found: "huge"');
    expect((await tab.post('drag', { selector: '#from', to: {} })).statusCode).toBe(400);
    expect((await tab.post('hover', { x: 1 })).statusCode).toBe(400);
  });

  test('[browser.downloads] downloads are listed, waited for and fetched', async () => {
    await using tab = await bench.page('<title>get</title>', '/get');
    await tab.post('navigate', { url: bench.site.url('/file') });
    const ended = (await bench.post('downloads/wait', {})).json().data;
    expect(ended).toMatchObject({ name: 'b.bin', state: 'completed', received_bytes: 5, path: expect.any(String) });
    expect((await bench.get('downloads')).json().data).toContainEqual(ended);
    const fetched = await bench.get(`downloads/${ended.id}/file`);
    expect([fetched.statusCode, fetched.headers.location]).toEqual([
      307,
      `../../../../v2/fs/download?path=${encodeURIComponent(ended.path)}`,
    ]);
    const url = new URL(String(fetched.headers.location), `http://x/v2/browser/downloads/${ended.id}/file`);
    expect((await bench.daemon.inject(`${url.pathname}${url.search}`)).body).toBe('bytes');
    expect((await bench.get('downloads/nope/file')).statusCode).toBe(404);
    expect((await bench.post('downloads/wait', { id: 'nope' })).statusCode).toBe(404);
  });

  test('[browser.storage] cookies and local storage of pages come out, and go into an empty browser', async () => {
    await using tab = await bench.page('<title>keeps</title>', '/keeps');
    await tab.value("localStorage.setItem('theme', 'dark'); document.cookie = 'who=ann'");
    const { data: state } = (await bench.get('storage')).json();
    const origin = new URL(bench.site.url('/')).origin;
    expect(state.cookies).toContainEqual(expect.objectContaining({ name: 'who', value: 'ann', domain: '127.0.0.1' }));
    expect(state.origins).toEqual([{ origin, localStorage: [{ name: 'theme', value: 'dark' }] }]);
    await using other = await BrowserBench.start();
    const filled = await other.post('storage', state);
    expect(filled.json()).toMatchObject({ success: true, data: { origins: 1 } });
    await using there = await other.open(bench.site.url('/keeps'));
    expect(await there.value("[localStorage.getItem('theme'), document.cookie]")).toEqual(['dark', 'who=ann']);
    for (const bad of ['file:///etc', 'http://127.0.0.1/path', 'x', 'javascript:1']) {
      const refused = await bench.post('storage', { origins: [{ origin: bad, localStorage: [] }] });
      expect([refused.statusCode, refused.json().message]).toEqual([400, expect.stringContaining('origins')]);
    }
  });

  test('[browser.har] requests as HAR 1.2 with headers and times', async () => {
    bench.site.pages['/har'] = (_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': ['a=1; Path=/', 'b=2'], 'x-mark': 'yes' })
        .end('<h1>har</h1>');
    };
    await using _tab = await bench.open(bench.site.url('/har?q=1&r=2'));
    const har = (await bench.get('network/har?filter=har%3Fq')).json();
    expect(har.log).toMatchObject({
      version: '1.2',
      creator: { name: 'sandboxd', version: expect.any(String) },
      pages: [],
    });
    const [entry] = har.log.entries;
    expect(entry).toMatchObject({
      startedDateTime: expect.stringMatching(/^\d{4}-.*Z$/),
      request: {
        method: 'GET',
        httpVersion: 'http/1.1',
        queryString: [
          { name: 'q', value: '1' },
          { name: 'r', value: '2' },
        ],
      },
      response: { status: 200, statusText: 'OK', content: { mimeType: 'text/html' }, redirectURL: '' },
      cache: {},
    });
    expect(entry.response.headers).toContainEqual({ name: 'x-mark', value: 'yes' });
    expect(entry.response.bodySize).toBeGreaterThan(10);
    expect(entry.timings.wait + entry.timings.receive).toBe(entry.time);
    expect((await bench.get('network/har?limit=0')).json().log.entries).toEqual([]);
  });

  test('[browser.both] v1 has the same routes, and the names that 1.x lost stay 404', async () => {
    await using tab = await bench.page('<title>v1</title>', '/v1');
    for (const path of [`dialog?tab_id=${tab.id}`, `pdf?tab_id=${tab.id}`, 'downloads', 'storage', 'network/har']) {
      expect([path, (await bench.daemon.inject(`/v1/browser/${path}`)).statusCode]).toEqual([path, 200]);
    }
    for (const prefix of ['/v1', '/v2'])
      for (const path of [...REMOVED, 'network/scoped_headers', 'network/export_har'])
        for (const method of ['GET', 'POST'] as const)
          expect((await bench.daemon.inject({ method, url: `${prefix}/browser/${path}` })).statusCode).toBe(404);
  });
});
