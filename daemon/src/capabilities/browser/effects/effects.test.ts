import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { BrowserBench } from '../chromium.fixture.ts';

const NOTHING = { opened: [], download: null, dialog: null, navigated: null };
const PAGE = `<title>effects</title>
  <a id=blank target=_blank href="/other">blank</a> <button id=popup onclick="window.open('/other')">popup</button>
  <a id=here href="/other">here</a> <a id=hash href="#there">hash</a> <a id=none href="/none">none</a>
  <a id=dead href="/dead">dead</a>
  <a id=file href="/file">file</a> <button id=ask onclick="confirm('sure?')">ask</button>
  <button id=plain>plain</button> <form action="/other"><input id=field></form>
  <select id=jump onchange="location.hash = this.value"><option>a<option>b</select>`;

describe.skipIf(!has('chromium'))('with a browser', () => {
  let bench: BrowserBench;

  beforeAll(async () => {
    bench = await BrowserBench.start();
    bench.site.pages['/other'] = '<title>other</title>';
    bench.site.pages['/dead'] = (request) => void request.socket.destroy();
    bench.site.pages['/none'] = (_request, response) => void response.writeHead(204).end();
    bench.site.pages['/file'] = (_request, response) => {
      const headers = {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename=a.bin',
      };
      response.writeHead(200, headers).end('the file');
    };
  }, 100_000);

  afterAll(() => bench[Symbol.asyncDispose]());

  test.each(['v1', 'v2'])('[browser.effects] %s: a click says which tabs it opened', async (version) => {
    for (const selector of ['#blank', '#popup']) {
      await using tab = await bench.page(PAGE, '/effects');
      const body = { selector, tab_id: tab.id };
      const { data } = (await bench.daemon.post(`/${version}/browser/click`, body)).json();
      expect(data).toMatchObject({ ...NOTHING, opened: [expect.any(String)] });
      const { data: shown } = (
        await bench.post('evaluate', { tab_id: data.opened[0], expression: 'location.pathname' })
      ).json();
      expect(shown.result).toBe('/other');
      await bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${data.opened[0]}` });
    }
  });

  test.each([
    ['#here', '/other'],
    ['#hash', '/effects#there'],
    // Nothing is there: the browser shows an error page.
    ['#dead', '/dead'],
  ])('[browser.effects] a click on %s says where the tab is now', async (selector, path) => {
    await using tab = await bench.page(PAGE, '/effects');
    const { data } = (await tab.post('click', { selector })).json();
    expect(data).toMatchObject({ ...NOTHING, navigated: bench.site.url(path) });
  });

  test.each(['#plain', '#none'])('[browser.effects] a click on %s that did nothing else says so', async (selector) => {
    await using tab = await bench.page(PAGE, '/effects');
    expect((await tab.post('click', { selector })).json().data).toMatchObject(NOTHING);
  });

  test('[browser.effects] a click and a navigation name the download, its end and its file', async () => {
    await using tab = await bench.page(PAGE, '/effects');
    const download = {
      id: expect.any(String),
      name: 'a.bin',
      state: 'completed',
      path: expect.stringMatching(/a.*\.bin$/),
    };
    const clicked = (await tab.post('click', { selector: '#file' })).json().data;
    expect(clicked).toMatchObject({ ...NOTHING, download });
    const gone = (await tab.post('navigate', { url: bench.site.url('/file') })).json();
    expect(gone).toMatchObject({
      success: false,
      data: { error: { reason: 'download' }, download: { ...download, filename: 'a.bin' } },
    });
  });

  test('[browser.effects] a click names the dialog that it opened', async () => {
    await using tab = await bench.page(PAGE, '/effects');
    const { data } = (await tab.post('click', { selector: '#ask' })).json();
    expect(data).toMatchObject({ ...NOTHING, dialog: { type: 'confirm', message: 'sure?' } });
    expect((await tab.post('dialog', { accept: true })).statusCode).toBe(200);
  });

  test('[browser.effects] fill, select and a key say what they did', async () => {
    await using tab = await bench.page(PAGE, '/effects');
    const filled = (await tab.post('fill', { selector: '#jump', value: 'b' })).json().data;
    expect(filled).toMatchObject({ ...NOTHING, navigated: bench.site.url('/effects#b'), value: 'b' });
    expect((await tab.post('fill', { selector: '#field', value: 'x' })).json().data).toMatchObject(NOTHING);
    const pressed = (await tab.post('actions', { action_type: 'PRESS', key: 'Enter' })).json().data;
    expect(pressed).toMatchObject({ ...NOTHING, navigated: bench.site.url('/other?') });
  });

  test('[browser.awaits-element] click and fill wait for a selector, and for a reference that is put back', async () => {
    await using tab = await bench.page('<title>late</title><button id=old>old</button>', '/late');
    const late =
      "document.body.innerHTML += '<button id=new onclick=document.title=`clicked`>new</button><input id=text>'";
    await tab.value(`setTimeout(() => { ${late} }, 300)`);
    expect((await tab.post('click', { selector: '#new' })).statusCode).toBe(200);
    expect(await tab.value('document.title')).toBe('clicked');
    await tab.value(
      "globalThis.kept = document.querySelector('#text'); kept.remove(); setTimeout(() => document.body.append(kept), 300)",
    );
    expect((await tab.post('fill', { selector: '#text', value: 'x' })).statusCode).toBe(200);
    const ref = await tab.ref('textbox');
    await tab.value('kept.remove(); setTimeout(() => document.body.append(kept), 300)');
    expect((await tab.post('fill', { ref, value: 'y' })).json()).toMatchObject({ success: true, data: { value: 'y' } });
  });

  test('[browser.awaits-element] what does not come is 404 at the end of the timeout, and no sooner', async () => {
    await using tab = await bench.page(PAGE, '/effects');
    const ref = await tab.ref('"plain"');
    await tab.value("document.querySelector('#plain').remove()");
    for (const target of [{ selector: '#nowhere' }, { ref }]) {
      const began = performance.now();
      expect((await tab.post('click', { ...target, timeout: 0.5 })).statusCode).toBe(404);
      expect(performance.now() - began).toBeGreaterThan(450);
    }
    // A page that was left does not come back.
    const began = performance.now();
    await tab.post('navigate', { url: bench.site.url('/other') });
    expect((await tab.post('click', { ref })).statusCode).toBe(404);
    expect(performance.now() - began).toBeLessThan(8000);
  });
});
