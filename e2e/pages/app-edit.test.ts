import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { openApp } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';

const filesAt = (path: string): string => `#/files?${new URLSearchParams({ path })}`;

test('[app.edit] a file is made, edited, saved by the keyboard and renamed', async ({ person, services }) => {
  await using directory = await tempDir();
  await writeFile(join(directory.path, 'taken.txt'), 'kept');
  const { page, faults } = await openApp(person, services, filesAt(directory.path));
  for (const name of ['taken.txt', 'new.txt']) {
    await page.getByRole('button', { name: 'File', exact: true }).click();
    await page.getByLabel('Name of the new file').fill(name);
    await page.keyboard.press('Enter');
    if (name === 'taken.txt') await page.getByText('taken.txt exists already').waitFor();
  }
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Text of the file').fill('first\nsecond\n');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved.').waitFor();
  await picture(page, 'app-edit');
  expect(await readFile(join(directory.path, 'new.txt'), 'utf8')).toBe('first\nsecond\n');
  await page.getByLabel('Text of the file').fill('first\nthird\n');
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByLabel('Text of the file').inputValue()).toBe('first\nthird\n');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => page.locator('.viewer pre').allTextContents()).toEqual(['first\nthird\n']);
  page.once('dialog', (dialog) => void dialog.accept(join(directory.path, 'moved.txt')));
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'moved.txt' }).waitFor();
  await expect.poll(() => page.locator('.viewer pre').allTextContents()).toEqual(['first\nthird\n']);
  await expect.poll(() => page.locator('.grid-row bdi').allTextContents()).toEqual(['moved.txt', 'taken.txt']);
  expect(await readFile(join(directory.path, 'taken.txt'), 'utf8')).toBe('kept');
  expect(faults).toEqual([]);
});

test('[app.edit] a change of another program is kept until the person decides, and so are ends of lines', async ({
  person,
  services,
}) => {
  await using directory = await tempDir();
  const path = join(directory.path, 'dos.txt');
  await writeFile(path, 'one\r\ntwo\r\n');
  const at = `#/files?${new URLSearchParams({ path: directory.path, file: path })}`;
  const { page } = await openApp(person, services, at);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const field = page.getByLabel('Text of the file');
  await expect.poll(() => field.inputValue()).toBe('one\ntwo\n');
  await writeFile(path, 'of another\r\n');
  await field.fill('one\ntwo\nthree\n');
  await page.keyboard.press('Control+s');
  await page.getByText('Nothing was saved.').waitFor();
  await picture(page, 'app-edit-conflict');
  expect(await readFile(path, 'utf8')).toBe('of another\r\n');
  await page.getByRole('button', { name: 'Load the changed file' }).click();
  await expect.poll(() => field.inputValue()).toBe('of another\n');
  await writeFile(path, 'again\r\n');
  await field.fill('mine\nall\n');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Replace it with this text' }).click();
  await expect.poll(() => readFile(path, 'utf8')).toBe('mine\r\nall\r\n');
});

test('[app.find] a line is found below a directory, and its file opens at it', async ({ person, services }) => {
  await using directory = await tempDir();
  await mkdir(join(directory.path, 'src'));
  const lines = Array.from({ length: 3000 }, (_, index) => `line ${index + 1} <b>${index === 2499 ? ' Needle(' : ''}`);
  await writeFile(join(directory.path, 'src', 'long.txt'), lines.join('\n'));
  await writeFile(join(directory.path, 'other.txt'), 'nothing');
  const { page, faults } = await openApp(person, services, filesAt(directory.path));
  await page.getByLabel('Find lines in the files below').fill('needle(');
  await page.keyboard.press('Enter');
  await page.getByText('1 line in 2 files').waitFor();
  await page.getByRole('link', { name: /src\/long\.txt:2500/ }).click();
  const found = page.locator('.lines .found');
  await expect.poll(() => found.textContent()).toBe('line 2500 <b> Needle(');
  expect(await found.getAttribute('value')).toBe('2500');
  expect(
    await page.evaluate(`(({ top, bottom }) => top > 0 && bottom < innerHeight)(
    document.querySelector('.lines .found').getBoundingClientRect())`),
  ).toBe(true);
  await picture(page, 'app-find');
  await page.getByRole('button', { name: 'Close the file' }).click();
  await page.getByText('1 line in 2 files').waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await page.getByRole('row', { name: /other/ }).waitFor();
  expect(faults).toEqual([]);
});
