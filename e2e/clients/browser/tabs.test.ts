import { afterEach, beforeEach, expect, test } from 'vitest';
import { RawTab } from '../../../browser-mcp/src/raw-tab.fixture.ts';
import { untilHealthy } from '../../images/observe.ts';
import { NO_KERNELS, sharedSandbox } from '../../images/sandbox.ts';
import { pidOf } from '../../images/supervisor.ts';
import { browserUse } from './browser-use.ts';
import { clientsWith } from './clients.ts';
import { openSite, SITE } from './site.ts';
import type { Hands } from './task.ts';

const KEY = 'the-key';
const TIMEOUT = { timeout: 600_000 };
/** Seconds after which the service crashes a tab that answers nothing. */
const HUNG_SECONDS = '5';
/** Waits for half a minute twice for each tab that another client opens and that answers nothing; a new session works. */
const CONNECTS_ANEW = 'agent-browser';

interface Tab {
  readonly id: string;
  readonly url: string;
}

const sandbox = sharedSandbox({
  env: { SVC_API_KEY: KEY, SVC_BROWSER_HUNG_TAB_SECONDS: HUNG_SECONDS, ...NO_KERNELS },
});
const hung: RawTab[] = [];
let opened: Promise<unknown> | undefined;

beforeEach(async () => {
  await untilHealthy(sandbox());
  opened ??= openSite(sandbox());
  await opened;
});

afterEach(async () => {
  for (const tab of hung.splice(0)) await tab.close();
});

/** A tab whose page never answers again. */
async function hangTab(): Promise<void> {
  const devtools = { devtools: `${sandbox().url}/cdp`, headers: { 'x-api-key': KEY }, query: `?api_key=${KEY}` };
  const tab = await RawTab.open(devtools, `${SITE}/new`);
  hung.push(tab);
  tab.tell('Runtime.evaluate', { expression: 'for (;;);' });
}

async function order(hands: Hands, what: string): Promise<void> {
  await hands.open(`${SITE}/order`);
  await hands.fill('What', what);
  await hands.press('Order');
  await expect.poll(() => hands.text()).toContain(`ordered small ${what}`);
}

async function tabs(): Promise<readonly Tab[]> {
  const answer = await sandbox().fetch('/v2/browser/tabs');
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: readonly Tab[] }).data;
}

test.each(clientsWith(KEY))('%s goes back and forward', TIMEOUT, async (_name, connect) => {
  const hands = await connect(sandbox());
  await hands.open(`${SITE}/order`);
  await hands.open(`${SITE}/new`);
  await hands.back();
  await expect.poll(() => hands.text()).toContain('Order');
  await hands.forward();
  await expect.poll(() => hands.text()).toContain('the new place');
  await hands.close();
});

test.each(clientsWith(KEY))(
  '%s connects and works beside a tab that hangs before or after it',
  TIMEOUT,
  async (name, connect) => {
    await hangTab();
    const hands = await connect(sandbox());
    await order(hands, 'kettle');
    await hangTab();
    const after = name === CONNECTS_ANEW ? await connect(sandbox()) : hands;
    await order(after, 'cup');
    await after.close();
  },
);

// chrome-devtools-mcp and agent-browser refuse to close it.
const CLOSING = clientsWith(KEY).filter(([name]) => /^(?:Playwright|Puppeteer) /.test(name));

test.each(CLOSING)('the browser lives on when %s closes the last tab', TIMEOUT, async (_n, connect) => {
  // chrome-devtools-mcp leaves its tab.
  for (const { id, url } of await tabs()) {
    if (url === `${SITE}/new`) await sandbox().fetch(`/v2/browser/tabs/${id}`, { method: 'DELETE' });
  }
  const hands = await connect(sandbox());
  await hands.open(`${SITE}/new`);
  const browser = await pidOf(sandbox(), 'chromium');
  for (const { id, url } of await tabs()) {
    if (url !== `${SITE}/new`) await sandbox().fetch(`/v2/browser/tabs/${id}`, { method: 'DELETE' });
  }
  expect((await tabs()).map(({ url }) => url)).toEqual([`${SITE}/new`]);
  await hands.close();
  const { title } = await sandbox().post<{ title: string }>('/v2/browser/navigate', { url: `${SITE}/order` });
  expect(title).toBe('site');
  expect(await pidOf(sandbox(), 'chromium')).toBe(browser);
  const again = await connect(sandbox());
  await order(again, 'pan');
  await again.close();
});

test(
  'the loop of browser-use, with a model that answers from a list, works beside a tab that hangs',
  TIMEOUT,
  async () => {
    await hangTab();
    expect(await browserUse('drive_browser_use_agent.py', [`${sandbox().url}/cdp`, KEY, SITE])).toMatch(/passed\n$/);
  },
);
