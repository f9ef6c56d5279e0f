import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/root.ts';
import { startServer, untilHealthy } from '../../images/observe.ts';
import { sharedSandbox } from '../../images/sandbox.ts';
import { virtualEnvironment } from '../virtual-environment.ts';
import { agentBrowserHands } from './agent-browser.ts';
import { devtoolsMcpHands } from './devtools-mcp.ts';
import { playwrightHands, puppeteerHands } from './libraries.ts';
import { openByRest, workByRest } from './rest-calls.ts';
import { doTask, type Hands, NOTE } from './task.ts';

// The browser is the image's; npm run images builds it.
const KEY = 'the-key';
const HEADERS = { 'x-api-key': KEY };
const PORT = 3300;
const TIMEOUT = { timeout: 600_000 };
const sandbox = sharedSandbox({ env: { SVC_API_KEY: KEY } });
const site = `http://127.0.0.1:${PORT}`;

const log = async (): Promise<string> => (await sandbox().run(`curl -s ${site}/log`)).stdout;
/** What browsers have downloaded, under whichever name. */
const downloads = async (): Promise<string> =>
  (await sandbox().run('cat ~/Downloads/* /tmp/playwright-artifacts-*/* /tmp/browser-use-downloads-*/* 2>/dev/null'))
    .stdout;

let python = '';
let opened: Promise<unknown> | undefined;

/** Starts the site in the sandbox, once. */
async function openSite(): Promise<void> {
  const source = await readFile(join(import.meta.dirname, 'site.mjs'));
  const path = '/tmp/site.mjs';
  await sandbox().container.copyContentToContainer([{ content: source, target: path, mode: 0o644 }]);
  await startServer(sandbox(), `exec node ${path} ${PORT}`, 'the site is open');
  await sandbox().run(`printf ${NOTE.content} > ${NOTE.path}`);
}

beforeEach(async () => {
  await untilHealthy(sandbox());
  opened ??= openSite();
  await opened;
  await sandbox().run(`curl -s ${site}/reset; rm -rf ~/Downloads /tmp/playwright-artifacts-*`);
});

test.each<[string, (http: string, ws: string) => Promise<Hands>]>([
  ['Playwright by /cdp with the key in a header', (http) => playwrightHands(`${http}/cdp`, HEADERS)],
  ['Playwright by cdp_url with api_key', (_http, ws) => playwrightHands(`${ws}/cdp?api_key=${KEY}`, {})],
  ['Puppeteer by browserWSEndpoint', (_http, ws) => puppeteerHands({ browserWSEndpoint: `${ws}/cdp?api_key=${KEY}` })],
  ['Puppeteer by browserURL with headers', (http) => puppeteerHands({ browserURL: http, headers: HEADERS })],
  ['chrome-devtools-mcp', (_http, ws) => devtoolsMcpHands(`${ws}/cdp`, HEADERS)],
  ['agent-browser', () => agentBrowserHands(sandbox(), `ws://127.0.0.1:8080/cdp?api_key=${KEY}`)],
])('%s does a task in the browser of the sandbox', TIMEOUT, async (_name, connect) => {
  const tab_id = await openByRest(sandbox(), site);
  const hands = await connect(sandbox().url, sandbox().url.replace('http', 'ws'));
  await besideRestCalls(tab_id, () => doTask(hands, { url: site, log, downloads }));
});

/** Does something while calls of the API work on another tab. */
async function besideRestCalls(tab_id: string, work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const calls = workByRest(sandbox(), { tab_id, site }, over.signal);
  await Promise.race([work(), calls]).finally(() => over.abort());
  expect(await calls).toBeGreaterThan(0);
}

// A hundred packages.
beforeAll(async () => {
  python = await virtualEnvironment('browser-use', [['install', '--quiet', 'browser-use==0.13.14']]);
}, 1_200_000);

test('browser-use does a task in the browser of the sandbox', TIMEOUT, async () => {
  const program = join(ROOT, 'e2e/clients/browser/drive_browser_use.py');
  // Its own limits of 8 to 30 s are short on a busy machine.
  const limits = [
    'ClickElement',
    'NavigateToUrl',
    'Scroll',
    'SelectDropdownOption',
    'UploadFile',
    'BrowserStateRequest',
  ];
  const patience = Object.fromEntries(limits.map((event) => [`TIMEOUT_${event}Event`, '120']));
  const quiet = { ANONYMIZED_TELEMETRY: 'false', BROWSER_USE_LOGGING_LEVEL: 'warning' };
  const env = { ...process.env, ...quiet, ...patience };
  const args = ['-P', program, `${sandbox().url}/cdp`, KEY, site, NOTE.path];
  await besideRestCalls(await openByRest(sandbox(), site), async () => {
    const { stdout } = await promisify(execFile)(python, args, { timeout: 500_000, env });
    expect(stdout).toMatch(/passed\n$/);
  });
  await expect.poll(downloads).toContain('the report');
});
