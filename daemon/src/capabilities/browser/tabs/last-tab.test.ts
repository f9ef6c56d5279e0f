import { afterAll, beforeAll, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { BrowserBench } from '../chromium.fixture.ts';

const browserTest = test.runIf(has('chromium'));

let bench: BrowserBench;
beforeAll(async () => {
  if (!has('chromium')) return;
  await using directory = await tempDir();
  // No supervisor reads it, and none is asked: the browser runs.
  const browserStarter = `${directory.path}/start-browser`;
  bench = await BrowserBench.start(['--keep-alive-for-test'], { browserStarter, browserStartMode: 'async' });
});
afterAll(() => bench?.[Symbol.asyncDispose]());

async function tabs(): Promise<{ id: string; url: string }[]> {
  return (await bench.get('tabs')).json().data;
}

browserTest('[browser.last-tab] the last tab that a call closes is followed by an empty one', async () => {
  await using _page = await bench.page('<title>one</title>');
  for (const { id } of await tabs()) {
    const closed = await bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${id}` });
    expect(closed.statusCode).toBe(200);
  }
  const left = await tabs();
  expect(left.map(({ url }) => url)).toEqual(['about:blank']);
  expect((await bench.post('navigate', { url: bench.site.url('/') })).json().data.title).toBe('one');
});

browserTest(
  '[browser.last-tab] the last tab that a client of DevTools closes is followed by an empty one',
  async () => {
    const listed = await tabs();
    for (const { id } of listed) await fetch(`http://127.0.0.1:${bench.browser.port}/json/close/${id}`);
    const old = new Set(listed.map(({ id }) => id));
    await expect
      .poll(async () => (await tabs()).filter(({ id }) => !old.has(id)).map(({ url }) => url))
      .toEqual(['about:blank']);
    expect((await bench.post('evaluate', { expression: '1 + 1' })).json().data.result).toBe(2);
  },
);
