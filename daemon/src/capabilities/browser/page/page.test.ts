import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { BrowserBench } from '../chromium.fixture.ts';
import { imageSize } from './image-size.ts';

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await BrowserBench.start(['--window-size=1000,800']);
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test('[browser.evaluate] values with their type, exceptions with their text, and what cannot be had', async () => {
    await using tab = await bench.page('<p>x</p>');
    const run = async (expression: string, more: object = {}) => {
      const { success, message, data } = (await tab.post('evaluate', { expression, ...more })).json();
      return success ? [data.type, data.result] : [success, message];
    };
    expect(await run('1 + 1')).toEqual(['number', 2]);
    expect(await run('({ a: [1, "é"] })')).toEqual(['object', { a: [1, 'é'] }]);
    expect(await run('[1]')).toEqual(['array', [1]]);
    expect(await run('undefined')).toEqual(['undefined', null]);
    expect(await run('null')).toEqual(['null', null]);
    expect(await run('10n')).toEqual(['bigint', '10n']);
    expect(await run('Promise.resolve(3)')).toEqual(['number', 3]);
    expect((await run('Promise.resolve(3)', { await_promise: false }))[0]).toBe('object');
    expect(await run('await Promise.resolve(4)')).toEqual(['number', 4]);
    expect(await run('throw new TypeError("no")')).toEqual([false, 'TypeError: no']);
    expect(await run('Promise.reject(new Error("late"))')).toEqual([false, 'Error: late']);
    expect((await run('a b'))[1]).toContain('SyntaxError');
    expect((await run('"x".repeat(9e6)'))[1]).toContain('is over');
    expect((await run('while (true);', { timeout: 0.5 }))[1]).toContain('the script was ended');
    expect(await run('2')).toEqual(['number', 2]);
    expect((await tab.post('evaluate', { expression: ' ' })).statusCode).toBe(400);
  });

  test('[browser.screenshot] formats, sizes, the whole page and an element; headers say what it is', async () => {
    await using tab = await bench.page(
      '<body style="margin:0"><div id=d style="width:300px;height:2000px;background:red"></div><div id=e style="width:40px;height:30px"></div>',
    );
    const size = (await tab.value('[innerWidth, innerHeight]')) as number[];
    const shoot = async (query: string) => {
      const { statusCode, headers, rawPayload } = await bench.get(`screenshot?tab_id=${tab.id}${query}`);
      const { width, height } = imageSize(rawPayload);
      expect([String(width), String(height)]).toEqual([headers['x-image-width'], headers['x-image-height']]);
      return [statusCode, headers['content-type'], width, height, headers['x-image-source']];
    };
    expect(await shoot('')).toEqual([200, 'image/png', ...size, 'page']);
    expect(await shoot('&format=jpeg&quality=10')).toEqual([200, 'image/jpeg', ...size, 'page']);
    expect(await shoot('&format=jpg')).toEqual([200, 'image/jpeg', ...size, 'page']);
    expect(await shoot('&format=webp&quality=10')).toEqual([200, 'image/webp', ...size, 'page']);
    expect((await shoot('&full_page=true'))[3]).toBe(2030);
    expect((await shoot('&selector=%23e')).slice(2, 4)).toEqual([40, 30]);
    expect((await shoot('&selector=%23e&scale=2')).slice(2, 4)).toEqual([80, 60]);
    expect((await shoot('&scale=0.5')).slice(2, 4)).toEqual(size.map((side) => Math.round(side / 2)));
    for (const [query, status] of [
      ['format=gif', 422],
      ['quality=101', 422],
      ['full_page=true&selector=a', 400],
      ['selector=nothing', 404],
    ] as const) {
      expect([query, (await bench.get(`screenshot?tab_id=${tab.id}&${query}`)).statusCode]).toEqual([query, status]);
    }
  });

  test('[browser.screenshot] a side ends where Chromium or the format ends', async () => {
    await using tab = await bench.page(
      '<body style="margin:0"><div id=e style="margin-top:0.3px;width:10px;height:5000px"></div>',
    );
    const shoot = async (query: string) => {
      const { statusCode, rawPayload } = await bench.get(`screenshot?tab_id=${tab.id}&selector=%23e&${query}`);
      return [statusCode, imageSize(rawPayload).height];
    };
    expect(await shoot('format=webp&scale=4')).toEqual([200, 16_383]);
    expect(await shoot('format=webp&scale=3.9072187552046316')).toEqual([200, 16_383]);
    expect(await shoot('format=jpeg&scale=4')).toEqual([200, 16_384]);
  });

  test('[browser.screenshot] a tab behind another one, and tabs of a minimised window', async () => {
    await using tab = await bench.page('<title>behind</title><h1>behind</h1>');
    await using front = await bench.page('<title>front</title>', '/front');
    const shoot = async (of: { id: string }, query = '') =>
      (await bench.get(`screenshot?tab_id=${of.id}${query}`)).statusCode;
    const shootThrice = async (of: { id: string }): Promise<number[]> => [
      await shoot(of),
      await shoot(of),
      await shoot(of, '&full_page=true'),
    ];
    expect(await shootThrice(tab)).toEqual([200, 200, 200]);
    // Input makes the page believe that it is shown.
    await tab.post('click', { selector: 'h1' });
    expect(await shootThrice(tab)).toEqual([200, 200, 200]);
    await front.post('cdp', { method: 'Browser.getWindowForTarget' }).then((answer) =>
      front.post('cdp', {
        method: 'Browser.setWindowBounds',
        params: { windowId: answer.json().data.windowId, bounds: { windowState: 'minimized' } },
      }),
    );
    expect([await shootThrice(tab), await shootThrice(front)]).toEqual([
      [200, 200, 200],
      [200, 200, 200],
    ]);
  });

  test('[browser.screenshot] a page that is left while its picture is taken', async () => {
    bench.site.pages['/next'] = '<title>next</title>';
    await using tab = await bench.page('<title>behind</title>');
    await using _front = await bench.page('<title>front</title>', '/front');
    const shoot = () => bench.get(`screenshot?tab_id=${tab.id}`);
    await shoot();
    // Another site has another process, in which Chromium forgets a picture now and then.
    for (let round = 0; round < 10; round += 1) {
      const host = round % 2 === 0 ? 'localhost' : '127.0.0.1';
      const url = bench.site.url('/next', host);
      const [picture, left] = await Promise.all([shoot(), tab.post('navigate', { url })]);
      expect([picture.statusCode, left.json().success]).toEqual([200, true]);
    }
  });

  test('[browser.screenshot-target] without a worker auto is the page and display is 503', async () => {
    await using _tab = await bench.page('<p>x</p>');
    expect((await bench.get('screenshot?target=auto')).headers['x-image-source']).toBe('page');
    const refused = await bench.get('screenshot?target=display');
    expect([refused.statusCode, refused.json().message]).toEqual([503, 'computer-use worker is not available']);
  });

  test('[browser-field.screenshot] jpg is jpeg, png the default; the sizes of screen and image are headers', async () => {
    await using _tab = await bench.page('<p>x</p>');
    const shots = await Promise.all(
      ['', '?format=jpg&quality=0'].map((query) => bench.daemon.inject(`/v1/browser/screenshot${query}`)),
    );
    expect(shots.map(({ headers }) => headers['content-type'])).toEqual(['image/png', 'image/jpeg']);
    for (const { headers } of shots) {
      expect([headers['x-screen-width'], headers['x-screen-height']]).toEqual([
        headers['x-image-width'],
        headers['x-image-height'],
      ]);
    }
  });

  test('[browser.cdp] [browser.raw-apart] raw calls of tab and browser; what they switch concerns no other call', async () => {
    await using tab = await bench.page('<p>x</p>');
    const call = async (body: object) => (await tab.post('cdp', body)).json();
    expect((await call({ method: 'Runtime.evaluate', params: { expression: '6 * 7' } })).data.result.value).toBe(42);
    expect((await call({ method: 'Browser.getVersion', browser: true })).data.product).toContain('Chrome');
    expect((await call({ method: 'Page.noSuch' })).message).toContain("wasn't found");
    expect((await tab.post('cdp', { method: 'Page.navigate' })).statusCode).toBe(400);
    expect((await tab.post('cdp', { method: 'x' })).statusCode).toBe(422);
    expect(await call({ method: 'DOM.describeNode', params: { nodeId: 99999 } })).toMatchObject({
      success: false,
      data: { error: { code: -32000 } },
    });
    for (const method of ['Page.disable', 'Network.disable', 'Runtime.disable', 'Accessibility.disable'])
      await call({ method });
    expect((await tab.post('navigate', { url: bench.site.url('/') })).json()).toMatchObject({ data: { status: 200 } });
    await call({ method: 'Debugger.enable' });
    const paused = await tab.post('cdp', {
      method: 'Runtime.evaluate',
      params: { expression: 'debugger' },
      timeout: 1,
    });
    expect([paused.statusCode, paused.json().success]).toEqual([200, false]);
    await using other = await bench.page('<p>other</p>', '/other');
    expect(await other.value('1')).toBe(1);
    await call({ method: 'Debugger.resume' });
    expect(await tab.value('2')).toBe(2);
  });

  test('[browser.info] [browser-field.info] sizes and addresses of what the caller used', async () => {
    await using tab = await bench.page('<p>x</p>');
    const headers = { host: 'box:8080', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'pub.example' };
    const allowed = { ...headers, 'x-forwarded-host': '10.0.0.1' };
    const { data } = (await bench.daemon.inject({ url: '/v1/browser/info?api_key=k', headers: allowed })).json();
    expect(data).toEqual({
      user_agent: expect.stringContaining('Chrome'),
      cdp_url: 'wss://10.0.0.1/cdp?api_key=k',
      vnc_url: 'https://10.0.0.1/vnc/index.html?autoconnect=true&path=websockify%3Fapi_key%3Dk&api_key=k',
      cdp_ui_url: null,
      viewport: { width: expect.any(Number), height: expect.any(Number) },
      page_viewport: { width: await tab.value('innerWidth'), height: await tab.value('innerHeight') },
    });
    expect(
      (await bench.daemon.inject({ url: '/v2/browser/info', headers: { host: 'box:8080' } })).json().data.cdp_url,
    ).toBe('ws://box:8080/cdp');
  });

  test('[browser.config] [browser-field.config] the resolution is set; null changes nothing', async () => {
    await using tab = await bench.page('<p>x</p>');
    const before = await tab.value('innerWidth');
    expect((await bench.post('config', { resolution: null })).json().success).toBe(true);
    expect(await tab.value('innerWidth')).toBe(before);
    await bench.post('config', { resolution: { width: 1280, height: 720 } });
    await expect.poll(() => tab.value('outerWidth')).toBe(1280);
    expect((await bench.post('config', { resolution: { width: 0, height: 1 } })).statusCode).toBe(422);
    await bench.post('config', { resolution: { width: 1000, height: 800 } });
    await expect.poll(() => tab.value('outerWidth')).toBe(1000);
  });
});
