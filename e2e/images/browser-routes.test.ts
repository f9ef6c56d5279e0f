import { beforeEach, describe, expect, test } from 'vitest';
import { imageSize } from '../../daemon/src/capabilities/browser/page/image-size.ts';
import { connectPlaywright } from '../pages/browsers.ts';
import { type Answer, ask, openSite, SITE } from './browser-site.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';
import { pidOf } from './supervisor.ts';

const KEY = 'secret-key';
const sandbox = sharedSandbox({ env: { SVC_API_KEY: KEY, BROWSER_START_MODE: 'auto', ...NO_KERNELS } });

let opened: Promise<void> | undefined;

// Waiting needs a test.
beforeEach(async () => {
  opened ??= openSite(sandbox());
  await opened;
});

describe.each(['/v1/browser', '/v2/browser'])('%s', (prefix) => {
  const post = (path: string, body: object = {}) => ask(sandbox(), 'POST', `${prefix}/${path}`, body);
  const get = (path: string) => ask(sandbox(), 'GET', `${prefix}/${path}`);
  const remove = (path: string) => ask(sandbox(), 'DELETE', `${prefix}/${path}`);
  const data = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    expect([status, body.success, body.message]).toEqual([200, true, expect.any(String)]);
    return body.data;
  };
  const value = async (expression: string) => (await data(post('evaluate', { expression }))).result;
  const refOf = async (name: string): Promise<string> => {
    const { snapshot } = await data(post('snapshot'));
    return new RegExp(`"${name}".*\\[ref=(e\\d+)\\]`).exec(snapshot)?.[1] ?? '';
  };
  const picture = async (query: string) => {
    const response = await sandbox().fetch(`${prefix}/screenshot?${query}`);
    const size = imageSize(Buffer.from(await response.arrayBuffer()));
    const { headers } = response;
    expect([response.status, headers.get('x-image-width'), headers.get('x-image-height')]).toEqual([
      200,
      String(size?.width),
      String(size?.height),
    ]);
    return { type: headers.get('content-type'), source: headers.get('x-image-source'), ...size };
  };

  test('[images.browser-routes] navigate', async () => {
    for (const wait_until of ['load', 'domcontentloaded', 'networkidle', 'commit']) {
      const arrived = await data(post('navigate', { url: `${SITE}/?${wait_until}`, wait_until }));
      expect(arrived).toMatchObject({ url: `${SITE}/?${wait_until}`, status: 200, tab_id: expect.any(String) });
    }
    expect(await data(post('navigate', { url: `${SITE}/form` }))).toMatchObject({ title: 'Form', error: null });
    expect((await data(post('navigate', { history: 'back' }))).url).toBe(`${SITE}/?commit`);
    expect((await data(post('navigate', { history: 'forward' }))).url).toBe(`${SITE}/form`);
    expect((await data(post('navigate', { history: 'reload' }))).status).toBe(200);
    expect((await data(post('navigate', { url: `${SITE}/missing` }))).status).toBe(404);
    const refused = await post('navigate', { url: 'http://127.0.0.1:3299/' });
    expect([refused.status, refused.body.success, refused.body.data.error.reason]).toEqual([200, false, 'refused']);
    expect((await post('navigate', { url: 'javascript:1' })).status).toBe(400);
  });

  test('[images.browser-routes] screenshot', async () => {
    await data(post('navigate', { url: `${SITE}/square` }));
    const shown = await picture('');
    expect(shown).toMatchObject({ type: 'image/png', source: 'page' });
    for (const [format, type] of [
      ['png', 'image/png'],
      ['jpeg', 'image/jpeg'],
      ['jpg', 'image/jpeg'],
      ['webp', 'image/webp'],
    ]) {
      expect(await picture(`format=${format}&quality=50`)).toEqual({ ...shown, type });
    }
    expect((await picture('full_page=true')).height).toBe(3000);
    expect(await picture('selector=%23square')).toMatchObject({ width: 60, height: 40 });
    expect(await picture('selector=%23square&scale=2')).toMatchObject({ width: 120, height: 80 });
    const display = await get('screenshot?target=display');
    expect([display.status, display.body.message]).toEqual([503, 'computer-use worker is not available']);
    expect((await get('screenshot?quality=101')).status).toBe(422);
  });

  test('[images.browser-routes] snapshot, and click, fill and upload by its references', async () => {
    await data(post('navigate', { url: `${SITE}/form` }));
    const all = await data(post('snapshot'));
    expect(all).toMatchObject({ url: `${SITE}/form`, title: 'Form', truncated: false });
    expect(all.snapshot).toMatch(/- iframe .*\n {2}- button "Inner" \[ref=e\d+\]/);
    expect(all.snapshot).toMatch(/- button "Never" \[disabled\]/);
    const some = await data(post('snapshot', { interactive_only: true }));
    expect(some.snapshot.length).toBeLessThan(all.snapshot.length);
    const old = await refOf('Go');
    expect(await data(post('click', { ref: old }))).toMatchObject({ element: '<button id="go"> "Go"' });
    await data(post('click', { selector: '#go', button: 'left', click_count: 2 }));
    await data(post('click', { ref: await refOf('Inner') }));
    expect((await data(post('fill', { ref: await refOf('Name'), value: 'né' }))).value).toBe('né');
    expect((await data(post('fill', { selector: '#agree', value: true }))).value).toBe('true');
    expect((await data(post('fill', { ref: await refOf('Size'), value: 'large' }))).value).toBe('large');
    await sandbox().run('umask 077; printf private > ~/private.txt');
    const upload = await data(post('upload', { ref: await refOf('File'), paths: ['/home/sandbox/private.txt'] }));
    expect(upload.files).toEqual([{ name: 'private.txt', size: 7 }]);
    await expect.poll(() => value('[document.title, who.value, hits, inner].join()')).toBe('private,né,3,true');
    expect((await post('click', { selector: '#none' })).status).toBe(404);
    expect((await post('click', { ref: 'button' })).status).toBe(400);
    const covered = await post('click', { ref: await refOf('Never'), timeout: 0 });
    expect([covered.status, covered.body.data.reason]).toEqual([503, 'disabled']);
    await data(post('navigate', { history: 'reload' }));
    expect((await post('click', { ref: old })).status).toBe(404);
  });

  test('[images.browser-routes] evaluate and wait', async () => {
    await data(post('navigate', { url: `${SITE}/form` }));
    expect(await data(post('evaluate', { expression: '[1, null, {a: "é"}]' }))).toMatchObject({
      result: [1, null, { a: 'é' }],
      type: 'array',
    });
    expect(await value('Promise.resolve(2)')).toBe(2);
    const unawaited = await data(post('evaluate', { expression: 'Promise.resolve(2)', await_promise: false }));
    expect(unawaited.result).not.toBe(2);
    const thrown = await post('evaluate', { expression: 'throw new Error("no way")' });
    expect([thrown.status, thrown.body.success, thrown.body.message]).toEqual([
      200,
      false,
      expect.stringMatching(/no way/),
    ]);
    for (const wanted of [
      { for: 'selector', value: '#go' },
      { for: 'url', value: '/form' },
      { for: 'load' },
      { for: 'networkidle' },
      { for: 'text', value: 'Agree' },
      { for: 'function', value: '() => document.readyState === "complete"' },
    ]) {
      expect((await data(post('wait', wanted))).matched).toBe(wanted.for);
    }
    const late = await post('wait', { selector: '#none', timeout: 0.2 });
    expect([late.status, late.body.hint]).toEqual([503, expect.any(String)]);
  });

  test('[images.browser-routes] tabs', async () => {
    const opened = await data(post('tabs', { url: `${SITE}/` }));
    expect(opened).toMatchObject({ id: expect.any(String), tab_id: opened.id, active: true });
    const empty = await data(post('tabs', { url: null }));
    expect(empty.url).toBe('about:blank');
    const listed = (await data(get('tabs'))).map(({ id }: { id: string }) => id);
    expect(listed).toEqual(expect.arrayContaining([opened.id, empty.id]));
    expect(await data(post(`tabs/${opened.id}/activate`))).toMatchObject({ id: opened.id, active: true });
    // A tab is opened before its page is loaded.
    const active = async () => (await data(get('tabs'))).filter((tab: { active: boolean }) => tab.active);
    const home = expect.objectContaining({ id: opened.id, url: `${SITE}/`, title: 'Home' });
    await expect.poll(active).toEqual([home]);
    const put = await ask(sandbox(), 'PUT', `${prefix}/tabs/${opened.id}/activate`, {});
    expect([put.status, put.headers.get('allow')]).toEqual([405, expect.stringContaining('POST')]);
    for (const { id } of [opened, empty]) await data(remove(`tabs/${id}`));
    const position = await remove('tabs/1');
    expect([position.status, position.body.message]).toEqual([404, 'no tab with id 1']);
  });

  test('[images.browser-routes] cookies', async () => {
    await data(remove('cookies'));
    const cookies = [{ name: 'a', value: '1', domain: '.example.com', path: '/', secure: true, httpOnly: true }];
    await data(post('cookies', { cookies }));
    await data(post('navigate', { url: `${SITE}/cookie` }));
    expect(await data(get('cookies?name=a'))).toEqual([expect.objectContaining(cookies[0])]);
    const names = async (query: string) =>
      (await data(get(`cookies?${query}`))).map(({ name }: { name: string }) => name);
    expect((await names('')).sort()).toEqual(['a', 'served']);
    expect(await names(`urls=${SITE}/,https://nothing.example/`)).toEqual(['served']);
    expect(await names('url=https://www.example.com/')).toEqual(['a']);
    expect(await names('domain=example.com')).toEqual(['a']);
    await data(remove('cookies?name=a'));
    expect(await names('')).toEqual(['served']);
    await data(remove('cookies'));
    expect(await names('')).toEqual([]);
  });

  test('[images.browser-routes] network/requests, cdp and config', async () => {
    await data(post('navigate', { url: `${SITE}/?logged${prefix}` }));
    const [request] = await data(get(`network/requests?filter=logged${prefix}&limit=1`));
    expect(request).toMatchObject({
      url: `${SITE}/?logged${prefix}`,
      method: 'GET',
      status: 200,
      type: 'document',
      mime_type: 'text/html',
      failed: false,
      duration_ms: expect.any(Number),
    });
    expect(new Date(request.started_at).getTime()).toBeGreaterThan(Date.now() - 600_000);
    await data(get('network/requests?clear=true'));
    expect(await data(get('network/requests'))).toEqual([]);
    const evaluated = await data(post('cdp', { method: 'Runtime.evaluate', params: { expression: '1 + 1' } }));
    expect(evaluated.result.value).toBe(2);
    expect((await data(post('cdp', { method: 'Browser.getVersion', browser: true }))).product).toContain('Chrome/');
    expect((await post('cdp', { method: 'No.such' })).status).toBe(400);
    const unchanged = await data(post('config', { resolution: null }));
    expect(unchanged.viewport.width).toBeGreaterThan(0);
    expect((await data(post('config', { resolution: { width: 1280, height: 720 } }))).page_viewport).not.toBe(null);
    expect((await post('config', { resolution: { width: 1, height: 1 } })).status).toBe(422);
  });

  test('[images.browser-routes] info names the address of the caller, and a CDP client connects by it', async () => {
    const info = await data(get(`info?api_key=${KEY}`));
    const host = sandbox().url.replace('http://', '');
    expect(info).toMatchObject({ cdp_url: `ws://${host}/cdp?api_key=${KEY}`, cdp_ui_url: null });
    expect(info.vnc_url).toContain(`http://${host}/vnc/index.html?`);
    expect(info.user_agent).toContain('Chrome/');
    for (const size of [info.viewport, info.page_viewport]) expect(size.width * size.height).toBeGreaterThan(0);
    const browser = await connectPlaywright(info.cdp_url, {});
    const tabs = (await data(get('tabs'))).length;
    expect(browser.contexts()[0]?.pages()).toHaveLength(tabs);
    await browser.close();
    const headers = { 'x-forwarded-host': 'box.example', 'x-forwarded-proto': 'https' };
    const inside = await sandbox().run(
      `curl -s ${Object.entries(headers)
        .map(([name, word]) => `-H '${name}: ${word}'`)
        .join(' ')} -H 'x-api-key: ${KEY}' http://127.0.0.1:8080${prefix}/info`,
    );
    expect(JSON.parse(inside.stdout).data.cdp_url).toMatch(/^wss:\/\/box\.example\/cdp\?ticket=[\w-]{32}$/);
  });

  test('[images.browser-routes] actions hit what the screenshot shows', async () => {
    await data(post('navigate', { url: `${SITE}/square` }));
    const perform = async (action: object) => {
      const answer = await post('actions', action);
      const { action_type } = action as { action_type: string };
      const said = { status: 'success', action_performed: action_type };
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ success: true, ...said })]);
      expect(answer.body.data).toMatchObject(said);
    };
    const [x, y] = [150, 100];
    expect(await value(`document.elementFromPoint(${x}, ${y}).id`)).toBe('square');
    for (const action of [
      { action_type: 'MOVE_TO', x: 0, y: 0 },
      { action_type: 'MOVE_REL', x_offset: x, y_offset: y },
      { action_type: 'CLICK', x, y },
      { action_type: 'RIGHT_CLICK', x, y },
      { action_type: 'DOUBLE_CLICK', x, y },
      { action_type: 'MOUSE_DOWN' },
      { action_type: 'MOUSE_UP' },
      { action_type: 'DRAG_TO', x: x + 5, y },
      { action_type: 'DRAG_REL', x_offset: -5, y_offset: 0 },
      { action_type: 'SCROLL', dy: 1 },
      { action_type: 'WAIT', duration: 0.01 },
    ]) {
      await perform(action);
    }
    await expect.poll(() => value('window.scrollY')).toBeGreaterThan(0);
    await perform({ action_type: 'SCROLL', dy: -5 });
    await expect.poll(() => value('window.scrollY')).toBe(0);
    expect(await value('[...new Set(seen)].sort().join()')).toBe('click,contextmenu,dblclick,mousedown,mouseup,wheel');
    for (const action of [
      { action_type: 'CLICK', x: 320, y: 90 },
      { action_type: 'TYPING', text: 'né' },
      { action_type: 'PRESS', key: 'Return' },
      { action_type: 'KEY_DOWN', key: 'shift' },
      { action_type: 'PRESS', key: 'a' },
      { action_type: 'KEY_UP', key: 'shift' },
      { action_type: 'TYPING', text: 'b', use_clipboard: false },
    ]) {
      await perform(action);
    }
    expect(await value('document.querySelector("textarea").value')).toBe('né\nAb');
    await perform({ action_type: 'HOTKEY', keys: ['ctrl', 'a'] });
    await perform({ action_type: 'PRESS', key: 'Delete' });
    expect(await value('document.querySelector("textarea").value')).toBe('');
    expect((await post('actions', { action_type: 'NO_SUCH' })).status).toBe(422);
  });
});

test('[images.browser-routes] no route is served without the key, and the browser runs as the account', async () => {
  for (const path of ['info', 'screenshot', 'tabs', 'cookies', 'network/requests']) {
    expect((await fetch(`${sandbox().url}/v1/browser/${path}`)).status).toBe(401);
  }
  const evaluated = await fetch(`${sandbox().url}/v2/browser/evaluate`, { method: 'POST', body: '{}' });
  expect(evaluated.status).toBe(401);
  expect(await sandbox().shell(`ps -o user= -p ${await pidOf(sandbox(), 'chromium')}`)).toBe('sandbox');
});

test('[images.hidden-tab] the timers of a tab behind another one are not slowed', async () => {
  const open = async () =>
    (await ask(sandbox(), 'POST', '/v2/browser/tabs', { url: `${SITE}/` })).body.data.id as string;
  const [behind, front] = [await open(), await open()];
  const expression = `(async () => {
    const begun = performance.now();
    for (let step = 0; step < 20; step += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    return [document.visibilityState, performance.now() - begun];
  })()`;
  const { body } = await ask(sandbox(), 'POST', '/v2/browser/evaluate', { tab_id: behind, expression, timeout: 60 });
  // Chromium lets such timers fire once a second.
  expect(body.data.result).toEqual(['hidden', expect.toSatisfy((ms: number) => ms < 15_000)]);
  for (const id of [behind, front]) await ask(sandbox(), 'DELETE', `/v2/browser/tabs/${id}`);
});

test('[images.browser-history] Playwright goes back and forward over /cdp, also in a new context', async () => {
  const { body } = await ask(sandbox(), 'GET', '/v2/browser/info');
  const browser = await connectPlaywright(body.data.cdp_url, {});
  for (const context of [browser.contexts()[0], await browser.newContext()]) {
    const page = await context?.newPage();
    if (page === undefined) throw new Error('the browser has no context');
    await page.goto(`${SITE}/`);
    await page.goto(`${SITE}/form`);
    await page.goto(`${SITE}/square`);
    expect([(await page.goBack())?.status(), page.url()]).toEqual([200, `${SITE}/form`]);
    expect([(await page.goBack())?.status(), page.url()]).toEqual([200, `${SITE}/`]);
    expect([(await page.goForward())?.status(), page.url()]).toEqual([200, `${SITE}/form`]);
    await page.close();
  }
  await browser.close();
});

test('[browser.last-tab] a client of /cdp closes the last tab, and the same browser goes on with an empty one', async () => {
  const { body } = await ask(sandbox(), 'GET', '/v2/browser/info');
  const pid = await pidOf(sandbox(), 'chromium');
  const browser = await connectPlaywright(body.data.cdp_url, {});
  for (const page of browser.contexts()[0]?.pages() ?? []) await page.close();
  await expect
    .poll(async () => {
      const tabs = await ask(sandbox(), 'GET', '/v2/browser/tabs');
      return [tabs.status, (tabs.body.data ?? []).map(({ url }: { url: string }) => url)];
    })
    .toEqual([200, ['about:blank']]);
  expect(await pidOf(sandbox(), 'chromium')).toBe(pid);
  await browser.close();
});
