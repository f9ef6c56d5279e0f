import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Services } from '../services.ts';
import { KEY } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';

/** The lines of the page's terminal. */
async function lines(page: Page): Promise<string[]> {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd());
}

function shows(page: Page, line: string): Promise<void> {
  return expect.poll(() => lines(page)).toContain(line);
}

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Creates a session with a shell without start-up files. */
async function bareSession(services: Services, id: string): Promise<void> {
  const body = { id, command: 'bash', args: ['--norc', '--noprofile'], env: { PS1: '$ ' } };
  const headers = { 'x-api-key': KEY };
  const made = await fetch(`${services.url}/v2/pty/sessions`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(made.status).toBe(200);
}

test('[terminal.reconnect] the page reconnects after the daemon was killed, and continues at the next byte', async ({
  person,
}) => {
  await using services = await Services.start({ SVC_API_KEY: KEY });
  await bareSession(services, 'a');
  const page = await person.newPage();
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#a`);
  await shows(page, '$');
  await type(page, 'seq 3; read -r x; echo "got: $x"');
  await shows(page, '3');
  const before = await lines(page);
  await services.stopDaemon('SIGKILL');
  await expect.poll(() => page.locator('#state').textContent()).toBe('reconnecting…');
  await picture(page, 'terminal-reconnecting');
  expect(await lines(page)).toEqual(before);
  await page.keyboard.type('here ');
  await services.startDaemon();
  await expect.poll(() => page.locator('#state').textContent()).toBe('');
  await shows(page, 'here');
  await type(page, 'again');
  await shows(page, 'got: here again');
  await picture(page, 'terminal-reconnected');
  expect((await lines(page)).filter((line) => line === '2')).toHaveLength(1);
});

test('[terminal.clipboard] a selection is copied and pasted', async ({ person, services }) => {
  await bareSession(services, 'a');
  const context = await person.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.goto(`${services.url.replace('127.0.0.1', 'localhost')}/terminal/?api_key=${KEY}#a`);
  await shows(page, '$');
  await type(page, 'clear; echo pre""cious');
  await shows(page, 'precious');
  // xterm.js covers its rows with an element that receives the pointer events.
  await page.locator('.xterm-rows').getByText('precious').first().dblclick({ force: true });
  await picture(page, 'terminal-selected');
  await page.keyboard.press('Control+Shift+C');
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('precious');
  await page.evaluate(`navigator.clipboard.writeText('echo pas""ted ü日本')`);
  await page.keyboard.press('Control+Shift+V');
  await page.keyboard.press('Enter');
  await shows(page, 'pasted ü日本');
  await picture(page, 'terminal-pasted');
  expect((await lines(page)).join('\n')).not.toContain('^C');
});

test('[terminal.sessions] sessions are listed, opened, switched and closed', async ({ person, services }) => {
  await bareSession(services, 'first');
  await bareSession(services, 'second');
  const page = await person.newPage();
  await page.goto(`${services.url}/terminal/`);
  await picture(page, 'terminal-key');
  await page.locator('input').first().fill(KEY);
  await page.keyboard.press('Enter');
  const tabs = page.locator('#sessions > li');
  await expect.poll(() => tabs.count()).toBe(2);
  await type(page, 'echo in the "fi"rst');
  await shows(page, 'in the first');
  await tabs.filter({ hasText: 'second' }).getByRole('button').first().click();
  await expect.poll(async () => (await lines(page)).filter((line) => line !== '')).toEqual(['$']);
  expect(page.url()).toBe(`${services.url}/terminal/#second`);
  await picture(page, 'terminal-sessions');
  await page.getByTitle('Close second and end its programs').click();
  await shows(page, 'in the first');
  await expect.poll(() => tabs.count()).toBe(1);
  await page.getByRole('button', { name: '+ New' }).click();
  await expect.poll(() => tabs.count()).toBe(2);
  await expect.poll(() => tabs.nth(1).getByRole('button').first().getAttribute('aria-current')).toBe('true');
});

test('[terminal.close-asks] a terminal in which a program runs is closed only when the person agrees', async ({
  person,
  services,
}) => {
  await bareSession(services, 'asks');
  const page = await person.newPage();
  const asked: string[] = [];
  let isAgreed = false;
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void (isAgreed ? dialog.accept() : dialog.dismiss());
  });
  await page.goto(`${services.url}/terminal/?api_key=${KEY}#asks`);
  await shows(page, '$');
  await type(page, 'echo be""gun; sleep 1000');
  await shows(page, 'begun');
  const tabs = page.locator('#sessions > li');
  const close = page.getByTitle('Close asks and end its programs');
  await close.click();
  await expect.poll(() => asked.length).toBe(1);
  expect(asked[0]).toContain('runs, which ends with it');
  expect(await tabs.filter({ hasText: 'asks' }).count()).toBe(1);
  isAgreed = true;
  await close.click();
  await expect.poll(() => tabs.filter({ hasText: 'asks' }).count()).toBe(0);
  expect(asked.length).toBe(2);
});
