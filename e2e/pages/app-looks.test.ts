import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { api, openApp, showView } from './app-page.ts';
import { test as base } from './page-test.ts';
import { lightShare, picture } from './picture.ts';

const VIEWS = ['overview', 'files', 'commands', 'code', 'terminal', 'desktop', 'processes', 'capabilities'] as const;
const SERIOUS = `axe.run(document, { iframes: false, resultTypes: ['violations'] }).then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;
/** Pixels by which the name of a command is wider than its panel. */
const BEYOND = `Math.max(...[...document.querySelectorAll('.holders a')].map((link) =>
  link.getBoundingClientRect().right - link.closest('.panel').getBoundingClientRect().right))`;

/** Serious findings of axe, which is evaluated past the policy of the page. */
async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${axe.source}; undefined`);
  return page.evaluate<string[]>(SERIOUS);
}

/** A file in a directory, as the query of the view of files, and a command with long lines that runs. */
const test = base.extend<{ readonly shown: { readonly file: URLSearchParams; readonly id: string } }>({
  shown: [
    async ({ open }, use) => {
      await using directory = await tempDir();
      await writeFile(join(directory.path, 'README.md'), '# Read me\n');
      const { command_id: id } = await api<{ command_id: string }>(open, '/v2/commands', {
        command: `echo ${'long'.repeat(300)}; ls /nonexistent; sleep 1000`,
        mode: 'async',
      });
      await use({
        file: new URLSearchParams({ path: directory.path, file: join(directory.path, 'README.md') }),
        id,
      });
    },
    { scope: 'file' },
  ],
});

async function waitForContent(page: Page, hash: string): Promise<void> {
  if (hash.includes('file=')) await page.locator('.viewer pre').waitFor();
  if (hash.includes('find=')) await page.getByText('1 line in 1 file').waitFor();
  if (hash.includes('id=')) await page.locator('.output .stderr').first().waitFor();
  if (hash !== '#/overview') return;
  await page.locator('.holders code').first().waitFor();
  // A long command stays in its panel.
  expect(await page.evaluate(BEYOND)).toBeLessThan(1);
}

test.for([
  ['light', 390, 844],
  ['dark', 390, 844],
  ['light', 1280, 800],
  ['dark', 1280, 800],
  ['light', 2560, 1440],
] as const)(
  '[app.looks] in %s at %i pixels every view fits, and axe finds nothing serious',
  async ([colorScheme, width, height], { person, services, shown: { file, id } }) => {
    const { page, faults } = await openApp(person, services, '', { colorScheme, viewport: { width, height } });
    const found = new URLSearchParams({ path: file.get('path') ?? '', find: 'read' });
    const opened = [`#/files?${file}`, `#/files?${found}`, `#/commands?id=${id}`];
    const hashes = [...VIEWS.map((view) => `#/${view}`), ...opened];
    for (const hash of hashes) {
      await showView(page, hash);
      const view = /[a-z]+/.exec(hash)?.[0] ?? '';
      await page.getByRole('heading', { level: 1, name: view }).waitFor();
      await expect.poll(() => page.getByText(/^(?:Looking|Reading|…)/).count()).toBe(0);
      await waitForContent(page, hash);
      expect([hash, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([hash, 0]);
      expect([hash, await findings(page)]).toEqual([hash, []]);
      await picture(
        page,
        `app-${hash.includes('find=') ? 'find' : hash.includes('?') ? `${view}-open` : view}-${colorScheme}-${width}`,
      );
    }
    await showView(page, '#/overview');
    const light = await lightShare(page, { x: 0, y: 0, width, height });
    expect(colorScheme === 'light' ? light : 1 - light).toBeGreaterThan(0.7);
    expect(faults).toEqual([]);
  },
);

test('[app.keyboard] each view is opened and used by the keyboard alone', async ({ person, services }) => {
  await using directory = await tempDir();
  await writeFile(join(directory.path, 'a.txt'), 'text of a');
  const { page } = await openApp(person, services, `#/files?${new URLSearchParams({ path: directory.path })}`);
  const focused = (): Promise<string> =>
    page.evaluate<string>("document.activeElement === document.body ? '' : document.activeElement?.textContent ?? ''");
  const tabTo = async (text: string): Promise<void> => {
    for (let tries = 0; tries < 40; tries += 1) {
      await page.keyboard.press('Tab');
      if ((await focused()).includes(text)) return;
    }
    throw new Error(`no way to ${text} by Tab; at ${await focused()}`);
  };
  await page.getByRole('row', { name: /a\.txt/ }).waitFor();
  await tabTo('Skip to the content');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('MAIN');
  await tabTo('a.txt');
  await page.keyboard.press('Enter');
  await page.locator('.viewer pre').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('grid').focus();
  await page.keyboard.press('Backspace');
  await expect.poll(() => page.url()).not.toContain(encodeURIComponent(directory.path));
  await tabTo('Commands');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Commands' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('echo by the keyboard');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('log').textContent()).toContain('by the keyboard');
});

test.for(['light', 'dark'] as const)(
  '[app.palette] in %s Ctrl-K leads to a view by the keyboard, and axe finds nothing serious',
  async (colorScheme, { person, services }) => {
    const { page, faults } = await openApp(person, services, '#/overview', { colorScheme });
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'View' });
    await field.waitFor();
    const options = page.getByRole('option');
    expect(await options.count()).toBe(VIEWS.length);
    await page.keyboard.type('c');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.getByRole('option', { selected: true }).allTextContents()).toEqual(['Code']);
    expect(await findings(page)).toEqual([]);
    await picture(page, `app-palette-${colorScheme}`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Code' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('MAIN');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('no such view');
    await page.getByText('No view is called so.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => field.isVisible()).toBe(false);
    expect(faults).toEqual([]);
  },
);
