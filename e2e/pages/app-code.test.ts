import { expect } from 'vitest';
import { api, openApp } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';

/** The smallest PNG: one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const RICH = `from IPython.display import HTML, Image, display
import base64
display(Image(data=base64.b64decode('${PIXEL}')))
display(HTML('<table><tr><th>price<th>&lt;b&gt;<tr><td>7<td><img src=x onerror=alert(1)>x</table>'))
print('\\x1b[31mred\\x1b[0m')
6 * seven`;

test('[app.code] cells of a session keep its variables, show pictures and tables, and are interrupted', async ({
  person,
  services,
}) => {
  const { page, faults } = await openApp(person, services, '#/code');
  const editor = page.getByRole('textbox', { name: 'New cell in python' });
  const cells = page.getByRole('list', { name: 'Cells' }).locator('.cell');
  await editor.fill('seven = 7');
  await page.keyboard.press('Shift+Enter');
  await cells.first().getByText('ok', { exact: true }).waitFor();
  await editor.fill(RICH);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await cells.nth(1).getByText('42').waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('.cell-picture')?.naturalWidth")).toBe(1);
  expect(await cells.nth(1).locator('th').allTextContents()).toEqual(['price', '<b>']);
  expect(await cells.nth(1).locator('td').allTextContents()).toEqual(['7', 'x']);
  expect(await cells.nth(1).locator('.ink-1').textContent()).toBe('red');
  await editor.fill("name = input('Your name ')\nprint('hello', name)");
  await page.keyboard.press('Shift+Enter');
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada');
  await page.keyboard.press('Enter');
  await cells.nth(2).getByText('hello Ada').waitFor();
  await editor.fill('import time; time.sleep(1000)');
  await page.keyboard.press('Shift+Enter');
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await cells.nth(3).getByText('KeyboardInterrupt').first().waitFor();
  // Its end is in view.
  const left = '(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)';
  await expect.poll(() => page.evaluate<number>(`${left}(document.querySelector('.cells'))`)).toBeLessThan(2);
  await picture(page, 'app-code');
  // Another view is opened, and the cells are still there.
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await page.goBack();
  await expect.poll(() => cells.count()).toBe(4);
  await editor.fill('import not_installed.part');
  await page.keyboard.press('Shift+Enter');
  await cells.nth(4).getByText('%pip install not_installed', { exact: true }).waitFor();
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByRole('heading', { name: 'Run a cell' }).waitFor();
  expect(faults).toEqual([]);
});

test('[app.code] a cell of an agent is shown while it runs, and none is run beside it', async ({
  person,
  services,
}) => {
  await api(services, '/v2/code/execute', {
    language: 'bash',
    code: 'echo from the agent; sleep 1000',
    session_id: 'of-the-agent',
    async: true,
    timeout: 900,
  });
  const { page } = await openApp(person, services, '#/code');
  const option = page.getByRole('option', { name: /of-the-agent · busy/ });
  await expect.poll(() => option.count()).toBe(1);
  await page.getByLabel('Session').selectOption({ label: (await option.textContent()) ?? '' });
  await page.getByText('of another client').waitFor();
  await expect.poll(() => page.getByRole('log').innerText()).toContain('from the agent');
  await page.getByRole('textbox', { name: 'New cell in bash' }).fill('echo beside');
  await expect.poll(() => page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(false);
});
