import { describe, expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { connectPlaywright } from '../pages/browsers.ts';
import { ask, openSite, SITE } from './browser-site.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';
import { pidOf } from './supervisor.ts';

const KEY = 'secret-key';
/** Nothing listens there: what goes to the proxy fails. Loopback does not go there. */
const DEAD_PROXY = 'http://user:word@127.0.0.1:9';
const DISCOVERY = ['/cdp/json/version', '/cdp/json/list', '/cdp/json', '/json/version', '/json/list', '/json'];

interface Tab {
  readonly id: string;
  readonly url: string;
}

describe.each([DAEMON_IMAGE, DESKTOP_IMAGE])('%s', (image) => {
  const env = {
    SVC_API_KEY: KEY,
    SVC_ACCESS_LOG: 'all',
    BROWSER_START_MODE: 'auto',
    PROXY_SERVER: DEAD_PROXY,
    ...NO_KERNELS,
  };
  const sandbox = sharedSandbox({ image, env });

  const tabs = async (): Promise<readonly Tab[]> => {
    const { status, body } = await ask(sandbox(), 'GET', '/v2/browser/tabs');
    expect(status).toBe(200);
    return body.data;
  };
  const navigate = async (url: string) => (await ask(sandbox(), 'POST', '/v2/browser/navigate', { url })).body;
  const cdpUrl = async (): Promise<string> => (await ask(sandbox(), 'GET', '/v2/browser/info')).body.data.cdp_url;
  const opened = async (url: string): Promise<string> =>
    JSON.stringify(await sandbox().mcp('tools/call', { name: 'browser_navigate', arguments: { url } }));

  test('[mcp-browser.listed] [mcp-browser.snapshot] [browser.waits-for-start] calls right after /ready wait for the browser', async () => {
    expect(await sandbox().toolNames()).toContain('browser_navigate');
    const page = (title: string): string => `data:text/html,<title>${title}</title><button>press ${title}</button>`;
    const [used, { success, data }] = await Promise.all([opened(page('mine')), navigate(page('yours'))]);
    expect([success, data.title]).toEqual([true, 'yours']);
    expect(used).toMatch(/button \\+"press mine\\+"/);
  });

  test('[mcp-browser.files] file: opens what the account reads, and no credential', async () => {
    expect(await opened('file:///etc/passwd')).toContain('sandbox:x:');
    const key = await opened('file:///run/svc/api-key');
    expect([key.includes(KEY), key]).toEqual([false, expect.stringMatching(/ERR_(?:ACCESS_DENIED|FILE_NOT_FOUND)/)]);
    expect(await sandbox().shell('cat /run/svc/api-key')).toBe(KEY);
  });

  test('[browser.navigate-failure] a dead proxy and dead addresses are failures, each with its own address', async () => {
    await openSite(sandbox());
    for (const [url, reason] of [
      ['http://site.example/a', 'proxy'],
      ['http://127.0.0.1:2/x', 'refused'],
      [`${SITE}/form`, null],
      ['http://127.0.0.1:3/', 'refused'],
      ['http://site.example/b', 'proxy'],
    ]) {
      const { success, data } = await navigate(url ?? '');
      expect([data.url, data.title, success, data.error?.reason ?? null]).toEqual([
        url,
        reason === null ? 'Form' : '',
        reason === null,
        reason,
      ]);
    }
  });

  test('[cdp.discovery] [cdp.discovery-root] HEAD of the discovery answers the head of GET', async () => {
    for (const path of DISCOVERY) {
      const [head, get] = [await sandbox().fetch(path, { method: 'HEAD' }), await sandbox().fetch(path)];
      expect([path, head.status, await head.text()]).toEqual([path, 200, '']);
      expect([path, head.headers.get('content-type')]).toEqual([path, get.headers.get('content-type')]);
      expect((await get.text()).length).toBeGreaterThan(0);
    }
  });

  test('[browser.link-tickets] a CDP client connects by cdp_url alone, also again, and no log has its ticket', async () => {
    const url = await cdpUrl();
    expect(url).not.toContain(KEY);
    const ticket = new URL(url).searchParams.get('ticket') ?? '';
    expect(ticket).toMatch(/^[\w-]{32}$/);
    for (const _ of [1, 2]) {
      const browser = await connectPlaywright(url);
      expect(browser.contexts()[0]?.pages().length).toBe((await tabs()).length);
      await browser.close();
    }
    expect((await fetch(`${sandbox().url}/v2/browser/info?ticket=${ticket}`)).status).toBe(401);
    await expect.poll(() => sandbox().rawLog).toContain('"path":"/cdp"');
    expect(sandbox().rawLog).not.toContain(ticket);
  });

  test('[browser.last-tab] when a client of /cdp and a call close the last tab, the same browser goes on', async () => {
    const pid = await pidOf(sandbox(), 'chromium');
    const browser = await connectPlaywright(await cdpUrl());
    for (const page of browser.contexts()[0]?.pages() ?? []) await page.close();
    await expect.poll(async () => (await tabs()).map(({ url }) => url)).toEqual(['about:blank']);
    await browser.close();
    for (const { id } of await tabs()) {
      expect((await ask(sandbox(), 'DELETE', `/v2/browser/tabs/${id}`)).status).toBe(200);
    }
    expect((await tabs()).map(({ url }) => url)).toEqual(['about:blank']);
    expect(await navigate(`${SITE}/`)).toMatchObject({ success: true, data: { title: 'Home' } });
    expect(await pidOf(sandbox(), 'chromium')).toBe(pid);
  });
});
