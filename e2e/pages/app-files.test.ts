import { mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { api, KEY, openApp, sha256Of } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';

const GIB = 1024 ** 3;
/** The page sends a file in pieces of this size. */
const PIECE = 32 * 1024 ** 2;

const filesAt = (path: string): string => `#/files?${new URLSearchParams({ path })}`;
const names = (page: Page): Promise<string[]> => page.locator('.grid-row bdi').allTextContents();
const rows = (page: Page): Promise<number> => page.locator('.grid-row').count();

/** Drops files on the page, as a pointer does. */
async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const made = new DataTransfer();
    for (const [name, text] of Object.entries(${JSON.stringify(files)})) made.items.add(new File([text], name));
    return made;
  })()`);
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: transfer });
}

test('[app.files] a directory is listed, sorted and filtered, and a file viewed, downloaded and deleted', async ({
  person,
  services,
}) => {
  await using directory = await tempDir();
  await mkdir(join(directory.path, 'zoo'));
  await writeFile(join(directory.path, 'b.txt'), 'first line\nsecond line\n');
  await writeFile(join(directory.path, 'a.bin'), Buffer.from([0, 255, 254, 1, 2, 3]));
  await writeFile(
    join(directory.path, 'c.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  );
  const { page, faults } = await openApp(person, services, filesAt(directory.path));
  await expect.poll(() => names(page)).toEqual(['zoo', 'a.bin', 'b.txt', 'c.svg']);
  await page.getByRole('button', { name: 'Size' }).click();
  await expect.poll(() => names(page)).toEqual(['zoo', 'a.bin', 'b.txt', 'c.svg']);
  await page.getByRole('button', { name: 'Size' }).click();
  await expect.poll(() => names(page)).toEqual(['zoo', 'c.svg', 'b.txt', 'a.bin']);
  await page.getByLabel('Show names that contain').fill('B.');
  await expect.poll(() => names(page)).toEqual(['b.txt']);
  await page.getByLabel('Show names that contain').fill('');
  await page.getByRole('row', { name: /b\.txt/ }).click();
  await expect.poll(() => page.locator('.viewer pre').allTextContents()).toEqual(['first line\nsecond line\n']);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toBe('first line\nsecond line\n');
  await page.getByRole('row', { name: /a\.bin/ }).click();
  await page.getByText('This file is not text.').waitFor();
  await page.getByRole('row', { name: /c\.svg/ }).click();
  await page.locator('img.viewer-image').waitFor();
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Delete this file' }).click();
  await expect.poll(() => names(page)).toEqual(['zoo', 'b.txt', 'a.bin']);
  // A change that another program makes is seen as well.
  await writeFile(join(directory.path, 'later.txt'), '');
  await expect.poll(() => names(page)).toContain('later.txt');
  expect(faults).toEqual([]);
});

test('[app.many-files] of 10,000 files at most 200 rows are in the document, and the keyboard reaches the last', async ({
  person,
  services,
}) => {
  await using directory = await tempDir();
  const all = Array.from({ length: 10_000 }, (_, index) => `f${String(index).padStart(5, '0')}`);
  for (const name of all) await writeFile(join(directory.path, name), '');
  const { page } = await openApp(person, services, filesAt(directory.path), {
    viewport: { width: 1280, height: 6000 },
  });
  await page.getByText('10,000 entries', { exact: true }).waitFor();
  const grid = page.getByRole('grid');
  expect(await grid.getAttribute('aria-rowcount')).toBe('10001');
  expect(await rows(page)).toBeGreaterThan(100);
  expect(await rows(page)).toBeLessThanOrEqual(200);
  await grid.focus();
  await page.keyboard.press('End');
  await expect.poll(() => names(page)).toContain('f09999');
  expect(await rows(page)).toBeLessThanOrEqual(200);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'f09998' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.viewer').count()).toBe(0);
  await page.getByLabel('Show names that contain').fill('f0123');
  await page.getByText('10 entries of 10,000').waitFor();
});

test('[app.upload] dropped files are uploaded, and one that exists is replaced only when asked', async ({
  person,
  services,
}) => {
  await using directory = await tempDir();
  const target = (name: string): string => join(directory.path, name);
  await writeFile(target('kept.txt'), 'old');
  const { page, faults } = await openApp(person, services, filesAt(directory.path));
  await expect.poll(() => names(page)).toEqual(['kept.txt']);
  await drop(page, { 'new.txt': 'new', 'kept.txt': 'replaced', 'empty.txt': '' });
  await expect.poll(() => names(page)).toEqual(['empty.txt', 'kept.txt', 'new.txt']);
  const uploads = page.getByRole('complementary', { name: 'Uploads' });
  await uploads.getByText('a file with this name exists').waitFor();
  await picture(page, 'app-uploads');
  expect(await readFile(target('kept.txt'), 'utf8')).toBe('old');
  await uploads.getByRole('button', { name: 'Replace' }).click();
  await expect.poll(() => readFile(target('kept.txt'), 'utf8')).toBe('replaced');
  expect(await readFile(target('new.txt'), 'utf8')).toBe('new');
  // The name of an uploaded file leads to it.
  await uploads.getByRole('link', { name: 'new.txt' }).click();
  await expect.poll(() => page.locator('.viewer pre').allTextContents()).toEqual(['new']);
  await uploads.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => uploads.count()).toBe(0);
  expect(faults).toEqual([]);
});

test('[app.upload-resumed] an upload of 2 GB goes on where a killed daemon and a closed page have cut it', async ({
  person,
}) => {
  await using directory = await tempDir();
  const source = join(directory.path, 'big.bin');
  await writeFile(source, 'begin');
  await truncate(source, 2 * GIB);
  await writeFile(source, 'end', { flag: 'a' });
  const into = join(directory.path, 'into');
  await mkdir(into);
  await using services = await Services.start({ SVC_API_KEY: KEY });
  const { page } = await openApp(person, services, filesAt(into));
  const starts: number[] = [];
  page.on('request', (request) => {
    const [, start] = /^bytes (\d+)-/.exec(request.headers()['content-range'] ?? '') ?? [];
    if (start !== undefined) starts.push(Number(start));
  });
  const choose = (): Promise<void> => page.locator('input[type=file]').setInputFiles(source);
  const progress = page.getByRole('complementary', { name: 'Uploads' }).getByRole('progressbar');
  const sent = async (): Promise<number> => Number((await progress.getAttribute('value')) ?? 0);
  const arrived = async (): Promise<number> => {
    const url = `${services.url}/v2/fs/upload?${new URLSearchParams({ path: join(into, 'big.bin') })}`;
    const headers = { 'x-api-key': KEY, 'content-range': `bytes */${2 * GIB + 3}` };
    const { data } = (await (await fetch(url, { method: 'PUT', headers })).json()) as { data: { file_size: number } };
    return data.file_size;
  };
  await choose();
  await expect.poll(sent).toBeGreaterThan(3 * PIECE);
  await services.stopDaemon('SIGKILL');
  await page.getByText('waiting for the sandbox').waitFor();
  await picture(page, 'app-upload-cut');
  await services.startDaemon();
  const kept = await arrived();
  expect(kept).toBeGreaterThanOrEqual(2 * PIECE);
  await expect.poll(sent).toBeGreaterThan(kept + 2 * PIECE);
  // The page is closed in the middle, and the file is chosen again.
  await page.reload();
  const before = await arrived();
  expect(before).toBeGreaterThan(kept);
  starts.length = 0;
  await choose();
  await page.getByText('uploaded', { exact: true }).waitFor({ timeout: 300_000 });
  expect(starts[0]).toBeGreaterThanOrEqual(before);
  expect((await stat(join(into, 'big.bin'))).size).toBe(2 * GIB + 3);
  expect(await sha256Of(join(into, 'big.bin'))).toBe(await sha256Of(source));
}, 600_000);

test('[app.files] a name that is not UTF-8 is opened and read', async ({ person, services }) => {
  await using directory = await tempDir();
  await api(services, '/v2/commands', {
    command: `mkdir $'caf\\xe9' && echo in > $'caf\\xe9/\\xff.txt'`,
    cwd: directory.path,
  });
  const { page } = await openApp(person, services, filesAt(directory.path));
  await page.getByRole('row', { name: /caf/ }).click();
  await page.getByRole('row', { name: /txt/ }).click();
  await expect.poll(() => page.locator('.viewer pre').allTextContents()).toEqual(['in\n']);
});

test('[app.files] a filter ends with its directory, and a picture that is none is named', async ({
  person,
  services,
}) => {
  await using directory = await tempDir();
  await mkdir(join(directory.path, 'pictures'));
  await writeFile(join(directory.path, 'pictures', 'broken.png'), 'not a picture');
  const { page } = await openApp(person, services, filesAt(directory.path));
  await page.getByLabel('Show names that contain').fill('pic');
  await page.getByRole('row', { name: /pictures/ }).click();
  await expect.poll(() => names(page)).toEqual(['broken.png']);
  expect(await page.getByLabel('Show names that contain').inputValue()).toBe('');
  await page.getByRole('row', { name: /broken/ }).click();
  await page.getByText('The browser cannot show this picture.').waitFor();
});
