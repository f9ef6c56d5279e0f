import { tmpdir } from 'node:os';
import { beforeEach, expect, test } from 'vitest';
import { untilHealthy } from '../../images/observe.ts';
import { sharedSandbox } from '../../images/sandbox.ts';
import { browserUse } from './browser-use.ts';
import { clientsWith } from './clients.ts';
import { openByRest, workByRest } from './rest-calls.ts';
import { openSite, SITE } from './site.ts';
import { doTask, NOTE } from './task.ts';

// The browser is the image's; npm run images builds it.
const KEY = 'the-key';
const TIMEOUT = { timeout: 600_000 };
const sandbox = sharedSandbox({ env: { SVC_API_KEY: KEY } });
const site = SITE;

const log = async (): Promise<string> => (await sandbox().run(`curl -s ${site}/log`)).stdout;
/** Clients that name a folder for downloads take one below their own temporary directory. */
const FOLDERS = `~/Downloads ${tmpdir()}/playwright-artifacts-* ${tmpdir()}/browser-use-downloads-*`;
/** What browsers have downloaded, under any name. */
const downloads = async (): Promise<string> =>
  (await sandbox().run(`find ${FOLDERS} -type f -exec cat {} + 2>/dev/null`)).stdout;

let opened: Promise<unknown> | undefined;

beforeEach(async () => {
  await untilHealthy(sandbox());
  opened ??= openSite(sandbox());
  await opened;
  await sandbox().run(`printf ${NOTE.content} > ${NOTE.path}`);
  await sandbox().run(`curl -s ${site}/reset; rm -rf ${FOLDERS}`);
});

test.each(clientsWith(KEY))('%s does a task in the browser of the sandbox', TIMEOUT, async (_name, connect) => {
  const tab_id = await openByRest(sandbox(), site);
  const hands = await connect(sandbox());
  await besideRestCalls(tab_id, () => doTask(hands, { url: site, log, downloads }));
});

/** Does something while calls of the API work on another tab. */
async function besideRestCalls(tab_id: string, work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const calls = workByRest(sandbox(), { tab_id, site }, over.signal);
  await Promise.race([work(), calls]).finally(() => over.abort());
  expect(await calls).toBeGreaterThan(0);
}

test('browser-use does a task in the browser of the sandbox', TIMEOUT, async () => {
  const args = [`${sandbox().url}/cdp`, KEY, site, NOTE.path];
  await besideRestCalls(await openByRest(sandbox(), site), async () => {
    expect(await browserUse('drive_browser_use.py', args)).toMatch(/passed\n$/);
  });
  await expect.poll(downloads).toContain('the report');
});
