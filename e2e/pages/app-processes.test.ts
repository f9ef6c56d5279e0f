import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { openApp } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';

/** A shell with children, which all end with the test. */
class Programs implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(script: string) {
    this.#child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    this.#ended = once(this.#child, 'exit');
  }

  static async start(script: string): Promise<Programs> {
    const programs = new Programs(script);
    await once(programs.#child.stdout ?? programs.#child, 'data');
    return programs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.kill(-(this.#child.pid ?? 0), 'SIGKILL');
    await this.#ended;
  }
}

test('[app.processes] a tree with owner, CPU and memory; a process is ended by the keyboard after a question', async ({
  person,
  services,
}) => {
  await using _programs = await Programs.start(
    'sleep 987654 & sh -c "while :; do :; done" & echo up; wait; sleep 1000',
  );
  const { page, faults } = await openApp(person, services, '#/processes');
  const grid = page.getByRole('grid', { name: 'Processes' });
  const filter = page.getByLabel('Show processes that contain');
  await filter.fill('987654');
  const rows = page.locator('.grid-row');
  // The shell has the number in its command too.
  await expect.poll(() => rows.count()).toBe(2);
  await expect.poll(() => rows.first().locator('.memory').textContent()).toMatch(/ [KM]iB$/);
  await expect.poll(() => rows.first().locator('.owner').textContent()).toMatch(/^[a-z]+$/);
  await filter.fill('while :; do');
  await page.getByRole('button', { name: 'CPU' }).click();
  await expect
    .poll(async () => Number.parseFloat((await rows.first().locator('.cpu').textContent()) ?? ''), { timeout: 60_000 })
    .toBeGreaterThan(5);
  await page.getByRole('button', { name: 'Process' }).click();
  await filter.fill('sleep 987654');
  await expect.poll(() => rows.count()).toBe(2);
  await grid.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const detail = page.getByRole('region', { name: 'Process' });
  await detail.getByRole('heading', { name: /^sleep · \d+$/ }).waitFor();
  await picture(page, 'app-process');
  const questions: string[] = [];
  page.once('dialog', (dialog) => {
    questions.push(dialog.message());
    void dialog.dismiss();
  });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => questions).toEqual([expect.stringMatching(/^End sleep \(process \d+\)\?$/)]);
  expect(await rows.count()).toBe(2);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.keyboard.press('Enter');
  await detail.getByRole('heading', { name: 'It has ended' }).waitFor();
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('button', { name: 'Close the process' }).focus();
  await page.keyboard.press('Escape');
  await expect.poll(() => detail.count()).toBe(0);
  // A tree: the first process is a root, and each other one is at most one step further right than the one before.
  await filter.fill('');
  const depths = (): Promise<number[]> =>
    page.evaluate<number[]>(`[...document.querySelectorAll('.grid-row .name')]
      .map(({ style }) => Number(style.getPropertyValue('--depth')))`);
  await expect.poll(async () => Math.max(...(await depths()))).toBeGreaterThan(1);
  const drawn = await depths();
  expect(drawn[0]).toBe(0);
  expect(drawn.filter((depth, index) => index > 0 && depth > (drawn[index - 1] ?? 0) + 1)).toEqual([]);
  expect(faults).toEqual([]);
});

test('[app.processes] the programs of the service cannot be ended', async ({ person, services }) => {
  const { page } = await openApp(person, services, '#/processes');
  await page.getByLabel('Show processes that contain').fill('gateway.mjs');
  await page.locator('.grid-row', { hasText: 'service' }).first().click();
  const detail = page.getByRole('region', { name: 'Process' });
  await detail.getByText('It belongs to the service').waitFor();
  expect(await detail.getByRole('button', { name: 'End', exact: true }).isDisabled()).toBe(true);
});

test('[app.processes] with 200 more processes the page draws the rows that are seen', async ({ person, services }) => {
  await using _programs = await Programs.start('for n in $(seq 200); do sleep 987655 & done; echo up; wait');
  const { page } = await openApp(person, services, '#/processes');
  await page.getByText(/^[2-9]\d\d processes$|^[\d,]{5,} processes$/).waitFor();
  const drawn = (): Promise<number> => page.locator('.grid-row').count();
  await page.getByRole('grid').focus();
  for (const key of ['End', 'Home', 'PageDown']) {
    await page.keyboard.press(key);
    expect(await drawn()).toBeLessThan(100);
  }
  await page.getByLabel('Show processes that contain').fill('987655');
  await page.getByText(/^200 processes of|^201 processes of/).waitFor();
  expect(await drawn()).toBeLessThan(100);
});
