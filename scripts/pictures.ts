// Makes docs/pictures: the app and the desktop of a container of the desktop image in which an agent has worked.
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import type { Page } from 'playwright-core';
import { personsBrowser } from '../e2e/pages/browsers.ts';
import { DESKTOP_IMAGE } from './images/build-images.ts';
import { docker } from './images/docker.ts';
import { ROOT } from './root.ts';
import { freePort } from './testing/free-port.ts';

const PICTURES = join(ROOT, 'docs/pictures');
const KEY = 'key-of-the-pictures';
const HEADERS = { 'x-api-key': KEY, 'content-type': 'application/json' };
const START_MS = 120_000;
/** Bytes of a picture, at most. */
const PICTURE_BYTES = 150_000;
/** The application that the agent of the pictures builds. */
const PAGE = `<!doctype html><title>Orders</title>
<body style="font: 20px sans-serif; margin: 40px; max-width: 34em">
<h1>Orders</h1><p>Twelve orders are open. The largest is that of table 7.</p>
<label>Note <input id="note" style="font: inherit; width: 24em"></label> <button style="font: inherit">Save</button>`;
const BUILD = `cd ~/project && for n in $(seq 1 8); do echo "test $n of 8: passed"; done; echo 'serving on port 3000'
exec python3 -m http.server 3000 --bind 127.0.0.1 2> server.log`;

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const run = ['run', '--detach', '--rm', '--shm-size=1g', '--security-opt', 'seccomp=images/seccomp.json'];
const id = await docker(...run, '--env', `SVC_API_KEY=${KEY}`, '--publish', `127.0.0.1:${port}:8080`, DESKTOP_IMAGE);
try {
  await pollUntil(isReady, { everyMs: 500, ms: START_MS });
  await work();
  await using browser = await personsBrowser();
  const context = await browser.newContext({ viewport: { width: 1120, height: 700 }, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(`${url}/?ticket=${await ticket()}`);
  await page.goto(`${url}/#/commands`);
  await page.getByText('serving on port 3000').or(page.getByText('http.server')).first().click();
  await page.locator('.output').getByText('test 8 of 8').waitFor();
  await save(page, 'app');
  await typing();
  await page.goto(`${url}/#/desktop`);
  await page.frameLocator('iframe').locator('canvas').waitFor();
  await stands(page);
  await save(page, 'desktop');
} finally {
  await docker('rm', '--force', id);
}

async function isReady(): Promise<boolean> {
  const answer = await fetch(`${url}/ready`, { headers: HEADERS }).catch(() => undefined);
  return answer?.ok === true;
}

async function call<T>(path: string, body: object): Promise<T> {
  const answer = await fetch(url + path, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

/** What an agent has done when the pictures are taken. */
async function work(): Promise<void> {
  await call('/v2/fs/write', { path: '/home/sandbox/project/index.html', content: PAGE });
  await call('/v2/commands', { command: 'git --version && python3 --version && node --version' });
  await call('/v2/commands', { command: 'ls -la ~/project', cwd: '/home/sandbox' });
  await call('/v2/commands', { command: BUILD, mode: 'async' });
  await call('/v2/pty/sessions', { id: 'build' });
  await call('/v2/browser/start', {});
  await call('/v2/browser/navigate', { url: 'http://127.0.0.1:3000/' });
}

async function typing(): Promise<void> {
  const { snapshot } = await call<{ snapshot: string }>('/v2/browser/snapshot', {});
  const [, ref] = /textbox "Note".*?\[ref=(\w+)\]/.exec(snapshot) ?? [];
  await call('/v2/browser/click', { ref });
  await call('/v2/computer/actions', { action_type: 'TYPING', text: 'Table 7 pays by card' });
}

async function ticket(): Promise<string> {
  return (await call<{ ticket: string }>('/v2/tickets', { path_prefix: '/' })).ticket;
}

/** Waits until the page looks the same for some seconds: noVNC draws in pieces, and hides its first message. */
async function stands(page: Page): Promise<void> {
  let seen: Buffer = Buffer.alloc(0);
  let equal = 0;
  const isSame = async (): Promise<boolean> => {
    const next = await page.screenshot();
    equal = next.equals(seen) ? equal + 1 : 0;
    seen = next;
    return equal > 3;
  };
  await pollUntil(isSame, { everyMs: 1000, ms: START_MS });
}

async function save(page: Page, name: string): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  const path = join(PICTURES, `${name}.png`);
  await page.screenshot({ path });
  const { size } = await stat(path);
  if (size > PICTURE_BYTES) throw new Error(`${path} has ${size} bytes of at most ${PICTURE_BYTES}`);
}
