import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { KEY } from './app-page.ts';
import { test } from './page-test.ts';
import { lightShare, picture } from './picture.ts';

const PHONE = { width: 390, height: 844 };
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}/;

type Fields = Readonly<Record<string, unknown>>;

/** Creates a session with a shell without start-up files. */
async function bareSession(services: Services, fields: Fields): Promise<string> {
  const body = { command: 'bash', args: ['--norc', '--noprofile'], env: { PS1: '$ ' }, ...fields };
  const headers = { 'x-api-key': KEY };
  const made = await fetch(`${services.url}/v2/pty/sessions`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(made.status).toBe(200);
  return ((await made.json()) as { data: { session_id: string } }).data.session_id;
}

/** Starts a command of the API in a session. */
async function exec(services: Services, id: string, command: string): Promise<void> {
  const url = `${services.url}/v2/pty/sessions/${id}/exec`;
  const body = JSON.stringify({ command, async: true });
  expect((await fetch(url, { method: 'POST', headers: { 'x-api-key': KEY }, body })).status).toBe(200);
}

async function lines(page: Page): Promise<string[]> {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd());
}

async function typed(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

test('[terminal.underscore] underscores are visible at a pixel ratio of 1', async ({ person, services }) => {
  await bareSession(services, { id: 'a', env: { PS1: '' } });
  const context = await person.newContext({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
  const page = await context.newPage();
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#a`);
  // Printed by escapes, so that the row with the underscores has nothing else.
  await typed(page, String.raw`clear; printf '\137%.0s' {1..60}; echo; for i in {1..20}; do echo; done`);
  await expect.poll(() => lines(page)).toContain('_'.repeat(60));
  const row = page.locator('.xterm-rows > div', { hasText: '_'.repeat(60) });
  const box = await row.boundingBox();
  if (!box) throw new Error('the row has no box');
  const glyphs = { ...box, width: 300 };
  expect(await lightShare(page, glyphs)).toBeGreaterThan(0.02);
  await picture(page, 'terminal-underscore');
});

test.for([
  ['names', '#a'],
  ['does not name', ''],
] as const)(
  '[terminal.early-input] what is typed from the load of a page on that %s the session reaches it',
  async ([_, hash], { person, services }) => {
    await bareSession(services, { id: 'a' });
    const page = await person.newPage();
    const { promise: isTyped, resolve: typing } = Promise.withResolvers<void>();
    await page.route('**/v2/pty/sessions', async (route) => {
      await isTyped;
      await route.continue();
    });
    await page.goto(`${services.url}/terminal/?api_key=${KEY}${hash}`);
    await typed(page, 'echo early $((40 + 2))');
    typing();
    await expect.poll(() => lines(page)).toContain('early 42');
  },
);

test('[terminal.names] tabs have names that people can read', async ({ person, services }) => {
  await using directory = await tempDir();
  const cwd = directory.path;
  const name = cwd.slice(cwd.lastIndexOf('/') + 1);
  await bareSession(services, { cwd });
  const second = await bareSession(services, { cwd });
  await bareSession(services, { id: 'build' });
  const page = await person.newPage();
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#${second}`);
  const tabs = page.locator('#sessions > li .name');
  await expect.poll(async () => (await tabs.allTextContents()).sort()).toEqual([name, `${name} (2)`, 'build'].sort());
  await exec(services, second, 'sleep 1000');
  await expect.poll(() => tabs.allTextContents()).toContain(`${name}: sleep`);
  expect((await tabs.allTextContents()).filter((text) => UUID.test(text))).toEqual([]);
});

test('[terminal.touch-keys] at 390 pixels the tab is whole, and the keys that a phone lacks are there', async ({
  person,
  services,
}) => {
  await bareSession(services, { id: 'a-session-with-a-name-that-is-longer-than-the-screen-of-a-phone' });
  await bareSession(services, { id: 'b' });
  const page = await person.newPage({ viewport: PHONE, deviceScaleFactor: 1, hasTouch: true });
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#b`);
  await expect.poll(() => lines(page)).toContain('$');
  const key = (name: string) => page.locator('#keys').getByRole('button', { name, exact: true });
  const current = page.locator('#sessions > .current');
  await expect.poll(() => current.textContent()).toBe('b×');
  for (const seen of [current, page.locator('#new'), ...['Escape', 'Tab', 'Control', 'Left', 'Right'].map(key)]) {
    const box = await seen.boundingBox();
    expect(box && [box.x >= 0, box.x + box.width <= PHONE.width, box.height > 0]).toEqual([true, true, true]);
  }
  await picture(page, 'terminal-390');
  // The program shows what it reads, until the key Ctrl and the letter d end it.
  await typed(page, 'echo begun; cat -v; echo "ended"');
  // Before that the shell takes the keys as those of its editor of lines.
  await expect.poll(() => lines(page)).toContain('begun');
  for (const name of ['Escape', 'Tab', 'Up', 'Left']) await key(name).tap();
  await key('Control').tap();
  await key('Right').tap();
  await key('Alt').tap();
  await page.keyboard.type('x');
  await page.keyboard.press('Enter');
  await expect.poll(() => lines(page)).toContain('^[\t^[[A^[[D^[[1;5C^[x'.replace('\t', ' '.repeat(6)));
  await key('Control').tap();
  expect(await key('Control').getAttribute('aria-pressed')).toBe('true');
  await page.keyboard.type('d');
  await expect.poll(() => lines(page)).toContain('ended');
  expect(await key('Control').getAttribute('aria-pressed')).toBe('false');
  const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  expect(isWide).toBe(false);
});

test('[terminal.gone] after a restart that ended the session the old screen is dimmed and a new one is offered', async ({
  person,
}) => {
  // As in a container that is started again, nothing of the terminal is left.
  await using services = await Services.start({ SVC_API_KEY: KEY, SVC_PROCESS_HOST: 'portable' });
  await bareSession(services, { id: 'a' });
  const page = await person.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#a`);
  await expect.poll(() => lines(page)).toContain('$');
  await typed(page, 'echo still here');
  await expect.poll(() => lines(page)).toContain('still here');
  await services.stopDaemon('SIGKILL');
  await services.forgetAll();
  await services.startDaemon();
  const notice = page.getByRole('alert');
  await expect.poll(() => notice.textContent()).toContain('The terminal a does not exist any more.');
  const opacity = await page.evaluate<string>("getComputedStyle(document.querySelector('#screen')).opacity");
  expect(Number(opacity)).toBeLessThan(0.5);
  await picture(page, 'terminal-gone');
  await page.getByRole('button', { name: 'Open a new terminal' }).click();
  await expect.poll(() => notice.count()).toBe(0);
  await expect.poll(() => page.locator('#sessions > li').count()).toBe(1);
  expect(await lines(page)).not.toContain('still here');
});

test('[terminal.gone] the end of a shell is told beside its last output, and a new one is offered', async ({
  person,
  services,
}) => {
  await bareSession(services, { id: 'a' });
  const page = await person.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#a`);
  await expect.poll(() => lines(page)).toContain('$');
  await typed(page, 'echo last words; exit 3');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('This terminal has ended with 3.');
  expect(await lines(page)).toContain('last words');
  await picture(page, 'terminal-ended');
  await page.getByRole('button', { name: 'Open a new terminal' }).click();
  await expect.poll(() => page.locator('#sessions > li').count()).toBe(2);
});

test('[terminal.gone] a daemon that is stopped in order ends the terminal for the page too', async ({ person }) => {
  await using services = await Services.start({ SVC_API_KEY: KEY });
  await bareSession(services, { id: 'a' });
  const page = await person.newPage();
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#a`);
  await expect.poll(() => lines(page)).toContain('$');
  await services.stopDaemon('SIGTERM');
  await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/^This terminal has ended(?: by SIG\w+)?\./);
  await services.startDaemon();
  await page.getByRole('button', { name: 'Open a new terminal' }).click();
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
});

test('[terminal.key-changed] a key that changed is shown, and the page leads to the form', async ({ person }) => {
  await using directory = await tempDir();
  const file = join(directory.path, 'key');
  await writeFile(file, KEY);
  await using services = await Services.start({ SVC_API_KEY_FILE: file });
  await bareSession(services, { id: 'a' });
  const page = await person.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#a`);
  await expect.poll(() => lines(page)).toContain('$');
  await rm(file);
  await writeFile(file, 'another-key');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('The key is not accepted any more.');
  await picture(page, 'terminal-key-changed');
  await page.getByRole('button', { name: 'Enter the key' }).click();
  await page.fill('input[type=password]', 'another-key');
  await page.keyboard.press('Enter');
  await expect.poll(() => lines(page)).toContain('$');
  await expect.poll(() => page.url()).toBe(`${services.url}/terminal/#a`);
});
