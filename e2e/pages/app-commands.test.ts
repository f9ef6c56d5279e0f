import { expect } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { api, KEY, openApp } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';

test('[app.commands] a command shows its output while it runs, takes input and is killed', async ({ person }) => {
  await using directory = await tempDir();
  await using services = await Services.start({ SVC_API_KEY: KEY });
  const { page, faults } = await openApp(person, services, '#/commands');
  const output = page.getByRole('log', { name: 'Output' });
  const state = page.locator('.detail .tag');
  await page.getByLabel('Directory').fill(directory.path);
  await page
    .getByRole('textbox', { name: 'Command', exact: true })
    .fill('pwd; echo oops >&2; read -r x; echo "got $x"; sleep 1000');
  await page.keyboard.press('Enter');
  await expect.poll(() => output.locator('.stdout').first().textContent()).toBe(directory.path);
  await expect.poll(() => output.locator('.stderr').first().textContent()).toBe('oops');
  await expect.poll(() => state.textContent()).toBe('running');
  await page.getByLabel('A line for the standard input of the command').fill('a line');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => output.textContent()).toContain('got a line');
  await picture(page, 'app-command');
  await page.getByRole('button', { name: 'Kill' }).click();
  await expect.poll(() => state.textContent()).toBe('SIGKILL');
  await expect.poll(() => page.locator('.rows .tag').allTextContents()).toEqual(['SIGKILL']);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.txt$/);
  expect(faults).toEqual([]);
});

test('[app.long-output] of 400,000 lines the newest are in the document, and their number is bounded', async ({
  person,
  services,
}) => {
  const { page } = await openApp(person, services, '#/commands');
  const output = page.getByRole('log', { name: 'Output' });
  await page
    .getByRole('textbox', { name: 'Command', exact: true })
    .fill('seq 400000; printf "10%%\\r20%%\\r\\033[32mdone\\033[0m\\n"');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await output.innerText()).trimEnd().split('\n').at(-1)).toBe('done');
  const lines = (await output.innerText()).trimEnd().split('\n');
  expect(lines.at(-2)).toBe('400000');
  expect(lines.length).toBeLessThan(6000);
  expect(lines.join('\n')).not.toMatch(/10%|\[32m/);
  await page.getByText(/earlier lines not shown here/).waitFor();
});

test('[app.output-colours] output has the colours of a terminal, in both schemes', async ({ person, services }) => {
  const inks = 'awk \'BEGIN { for (i = 0; i < 16; i++) printf "\\033[38;5;%dmink %d\\033[0m ", i, i; print "" }\'';
  const script = `${inks}; printf '\\033[1;31mbold\\033[0m plain\\n'`;
  const { command_id: id } = await api<{ command_id: string }>(services, '/v2/commands', { command: script });
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, faults } = await openApp(person, services, `#/commands?id=${id}`, { colorScheme });
    const output = page.getByRole('log', { name: 'Output' });
    await expect.poll(() => output.locator('.bold.ink-1').textContent()).toBe('bold');
    expect(await output.innerText()).toContain('ink 15 \nbold plain');
    const plain = await page.evaluate("getComputedStyle(document.querySelector('.output')).color");
    const red = await page.evaluate("getComputedStyle(document.querySelector('.output .ink-1')).color");
    expect(red).not.toBe(plain);
    await picture(page, `app-output-colours-${colorScheme}`);
    expect(faults).toEqual([]);
  }
});

test('[app.commands] a command is found by the filter, runs again, and its text is copied', async ({
  person,
  services,
}) => {
  const command = "echo 'again and again'";
  await api(services, '/v2/commands', { command: 'echo another' });
  const { command_id: id } = await api<{ command_id: string }>(services, '/v2/commands', { command });
  const { page } = await openApp(person, services, `#/commands?id=${id}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const rows = page.getByRole('list', { name: 'Commands, newest first' }).getByRole('link');
  await page.getByLabel('Show commands that contain').fill('AND AGAIN');
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.first().innerText()).toMatch(/\d\d:\d\d:\d\d/);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command);
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.count()).toBe(2);
  await expect.poll(() => page.getByRole('log', { name: 'Output' }).innerText()).toContain('again and again');
  expect(page.url()).not.toContain(id);
});

test('[app.reconnect] the page says that the daemon is gone, and the output goes on without a missing line', async ({
  person,
}) => {
  await using services = await Services.start({ SVC_API_KEY: KEY });
  const { command_id: id } = await api<{ command_id: string }>(services, '/v2/commands', {
    command: 'for i in $(seq 400); do echo "line $i"; sleep 0.05; done',
    mode: 'async',
  });
  const { page, faults } = await openApp(person, services, `#/commands?id=${id}`);
  const output = page.getByRole('log', { name: 'Output' });
  await expect.poll(() => output.innerText()).toContain('line 20\n');
  await services.stopDaemon('SIGKILL');
  await page.getByText('The sandbox does not answer. Reconnecting…').waitFor();
  await picture(page, 'app-away');
  await services.startDaemon();
  await page.getByText('The daemon has restarted. The page is connected again.').waitFor();
  await picture(page, 'app-back');
  await expect.poll(() => output.textContent()).toContain('line 400');
  const lines = (await output.innerText()).trim().split('\n');
  expect(lines).toEqual(Array.from({ length: 400 }, (_, index) => `line ${index + 1}`));
  await expect.poll(() => page.locator('.detail .tag').textContent()).toBe('succeeded');
  expect(faults).toEqual([]);
});
