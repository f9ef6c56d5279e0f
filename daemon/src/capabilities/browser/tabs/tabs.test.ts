import type { ServerResponse } from 'node:http';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { expectValid } from '../../../wire.fixture.ts';
import { BrowserBench } from '../chromium.fixture.ts';
import { pageOf } from './tab-list.ts';

interface Listed {
  readonly id: string;
  readonly tab_id: string;
  readonly url: string;
  readonly title: string;
  readonly active: boolean;
}

test('[browser.tabs] a tab without a page yet has the address that it opens', () => {
  expect(pageOf({ url: '', title: '' }, 'http://a/')).toEqual({ url: 'http://a/', title: '' });
  expect(pageOf({ url: '', title: '' }).url).toBe('about:blank');
  expect(pageOf({ url: 'http://b/', title: 'B' }, 'http://a/')).toEqual({ url: 'http://b/', title: 'B' });
});

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await BrowserBench.start();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const list = async (): Promise<Listed[]> => (await bench.get('tabs')).json().data;
  const active = async () => (await list()).find((tab) => tab.active)?.id;

  test('[browser.tabs] tabs are opened, listed, shown and closed by id', async () => {
    bench.site.pages['/'] = '<title>First</title>';
    const opened = (await bench.post('tabs', { url: bench.site.url('/') })).json().data as Listed;
    expect(opened).toMatchObject({ id: opened.tab_id, active: true });
    await expect.poll(async () => (await list()).find(({ id }) => id === opened.id)?.title).toBe('First');
    await using second = await bench.page('<title>Second</title>');
    expect(await active()).toBe(second.id);
    expect((await bench.post(`tabs/${opened.id}/activate`)).json()).toMatchObject({
      data: { id: opened.id, active: true },
    });
    expect(await active()).toBe(opened.id);
    expect((await bench.post('evaluate', { expression: 'document.title' })).json().data.tab_id).toBe(opened.id);
    const put = await bench.daemon.inject({ method: 'PUT', url: `/v1/browser/tabs/${opened.id}/activate` });
    expect([put.statusCode, put.headers['allow']]).toEqual([405, expect.stringContaining('POST')]);
    const closed = await bench.daemon.inject({ method: 'DELETE', url: `/v1/browser/tabs/${opened.id}` });
    expect(closed.json()).toMatchObject({ success: true, data: { id: opened.id } });
    expect((await list()).map(({ id }) => id)).not.toContain(opened.id);
    for (const [method, path] of [
      ['DELETE', 'tabs/1'],
      ['POST', 'tabs/1/activate'],
      ['DELETE', `tabs/${opened.id}`],
    ] as const) {
      const answer = await bench.daemon.inject({ method, url: `/v1/browser/${path}` });
      expect([path, answer.statusCode]).toEqual([path, 404]);
    }
    expect((await bench.daemon.inject({ method: 'DELETE', url: '/v1/browser/tabs/1' })).json().message).toBe(
      'no tab with id 1',
    );
  });

  test('[browser.tabs] a tab has the address that it opens, before its page is there', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    bench.site.pages['/late'] = (_request, response) => asked.resolve(response);
    const url = bench.site.url('/late');
    const opened = (await bench.post('tabs', { url })).json().data as Listed;
    expect(opened).toMatchObject({ url, active: true });
    (await asked.promise).end('<title>Late</title>');
    await expect
      .poll(async () => (await list()).find(({ id }) => id === opened.id))
      .toMatchObject({ url, title: 'Late' });
    await bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${opened.id}` });
  });

  test('[browser.both] [browser-field.tabs-url] v1 has the same routes; url null is an empty tab', async () => {
    const answer = await bench.daemon.post('/v1/browser/tabs', { url: null });
    expectValid('Response', answer.json());
    const { id, url } = answer.json().data;
    expect(url).toBe('about:blank');
    expectValid('Response_list_', (await bench.daemon.inject('/v1/browser/tabs')).json());
    await bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${id}` });
    const paths = async (surface: string) =>
      Object.entries((await bench.daemon.inject(`/${surface}/openapi.json`)).json().paths as Record<string, object>)
        .filter(([path]) => path.startsWith(`/${surface}/browser/`))
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path.slice(4)}`))
        .sort();
    expect(await paths('v1')).toEqual(await paths('v2'));
    expect((await paths('v2')).length).toBeGreaterThanOrEqual(20);
  });

  test('[browser.one-connection] tabs of pages and of another client are seen; its end closes nothing', async () => {
    await using tab = await bench.page('<button onclick="window.open(location.href + \'?popup\')">open</button>');
    const before = (await list()).length;
    await tab.post('click', { selector: 'button' });
    await expect.poll(async () => (await list()).find(({ url }) => url.endsWith('?popup'))).toBeDefined();
    const client = await puppeteer.connect({ browserURL: `http://127.0.0.1:${bench.browser.port}` });
    const page = await client.newPage();
    await page.setContent('<h1>theirs</h1>');
    await expect.poll(async () => (await list()).length).toBe(before + 2);
    const theirs = await active();
    expect((await bench.post('snapshot', { tab_id: theirs })).json().data.snapshot).toContain('"theirs"');
    await client.disconnect();
    expect((await bench.post('evaluate', { tab_id: theirs, expression: '1' })).json().data.result).toBe(1);
    for (const { id, url } of await list()) {
      if (url.endsWith('?popup') || id === theirs)
        await bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${id}` });
    }
  });

  test('[browser.network] [browser-field.requests] requests from the first navigation on: popups too, filter, limit, clear', async () => {
    bench.site.pages['/api'] = (_request, response) =>
      response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
    await using tab = await bench.page(
      `<script>fetch('/api', { method: 'POST' }); fetch('http://127.0.0.1:1/').catch(() => {})</script>`,
      '/log',
    );
    const requests = async (query: string) =>
      (await bench.get(`network/requests?tab_id=${tab.id}&${query}`)).json().data;
    await expect.poll(async () => (await requests('filter=/api'))[0]?.duration_ms).toEqual(expect.any(Number));
    expect(await requests('filter=/api')).toEqual([
      {
        id: expect.any(String),
        tab_id: tab.id,
        url: bench.site.url('/api'),
        method: 'POST',
        status: 201,
        type: 'fetch',
        mime_type: 'application/json',
        started_at: expect.stringMatching(/^20\d\d-.*Z$/),
        duration_ms: expect.any(Number),
        failed: false,
        error: null,
      },
    ]);
    expect((await requests(''))[0]).toMatchObject({ url: bench.site.url('/log'), type: 'document', status: 200 });
    await expect.poll(async () => (await requests('filter=127.0.0.1:1/'))[0]?.failed).toBe(true);
    expect(await requests('limit=1')).toHaveLength(1);
    await tab.value(`open('/popped?x'), 0`);
    const popped = async () => (await bench.get('network/requests?filter=/popped')).json().data;
    await expect.poll(async () => (await popped()).length).toBe(1);
    expect((await requests('clear=true')).length).toBeGreaterThan(2);
    expect((await bench.get('network/requests')).json().data).toEqual([]);
    for (const { id, url } of await list()) {
      if (url.endsWith('/popped?x')) await bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${id}` });
    }
  });

  test('[browser.cookies] [browser-field.cookies] cookies are set, found by urls, url, domain and name, and deleted', async () => {
    const names = async (query = '') =>
      (await bench.get(`cookies${query}`))
        .json()
        .data.map(({ name }: { name: string }) => name)
        .sort();
    const remove = (query = '') => bench.daemon.inject({ method: 'DELETE', url: `/v1/browser/cookies${query}` });
    await remove();
    const set = await bench.daemon.post('/v1/browser/cookies', {
      cookies: [
        { name: 'a', value: '1', domain: '.example.com', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' },
        { name: 'b', value: '2', url: 'http://127.0.0.1/deep/', path: '/deep' },
        { name: 'c', value: '3', domain: 'sub.example.com', path: '/', expires: 4102444800 },
      ],
    });
    expectValid('Response', set.json());
    expect(await names()).toEqual(['a', 'b', 'c']);
    expectValid('Response_list_', (await bench.daemon.inject('/v1/browser/cookies')).json());
    expect(await names('?urls=https://sub.example.com/x,http://127.0.0.1/deep/er')).toEqual(['a', 'b', 'c']);
    expect(await names('?url=http://sub.example.com/')).toEqual(['c']);
    expect(await names('?urls=http://127.0.0.1/deeper')).toEqual([]);
    expect(await names('?domain=example.com')).toEqual(['a', 'c']);
    expect(await names('?name=b')).toEqual(['b']);
    expect((await bench.get('cookies?urls=nonsense')).statusCode).toBe(400);
    expect((await bench.get('cookies?name=a')).json().data[0]).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      expires: -1,
    });
    const refused = await bench.post('cookies', { cookies: [{ name: '__Host-x', value: '1', domain: '127.0.0.1' }] });
    expect([refused.statusCode, refused.json().message]).toEqual([400, expect.stringContaining('cookie 0 (__Host-x)')]);
    expect((await remove('?name=a')).json().data).toHaveLength(1);
    expect(await names()).toEqual(['b', 'c']);
    await remove('?domain=example.com');
    expect(await names()).toEqual(['b']);
    expect(await names('?all=true')).toEqual(['b']);
    await remove('?all=true');
    expect(await names()).toEqual([]);
    await bench.post('cookies', { cookies: [{ name: 'd', value: '4', url: 'http://127.0.0.1/' }] });
    await bench.daemon.inject({ method: 'DELETE', url: '/v2/browser/cookies', payload: { all: true } });
    expect(await names()).toEqual([]);
    await bench.post('cookies', { cookies: [{ name: 'e', value: '5', url: 'http://127.0.0.1/' }] });
    await remove();
    expect(await names()).toEqual([]);
  });
});
