import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBrowser, TestSite } from '../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { Answers } from './answers.ts';
import { startedServer } from './started-server.fixture.ts';

let browser: TestBrowser;
let site: TestSite;
let output: string;

beforeAll(async () => {
  [browser, site] = await Promise.all([TestBrowser.start(), TestSite.start()]);
  output = await mkdtemp(join(tmpdir(), 'browser-mcp-'));
  site.pages['/'] = '<title>site</title><h1>hello</h1><button onclick="document.body.append(`bye`)">press</button>';
  site.pages['/long'] = `<title>long</title>${'<p>a paragraph of some words</p>'.repeat(4000)}`;
}, 100_000);

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await rm(output, { recursive: true, force: true });
});

test('[mcp-browser.snapshot] browser_navigate and browser_click answer the snapshot and leave no file', async () => {
  await using server = await startedServer(browser.port, output);
  const opened = await server.use('browser_navigate', { url: site.url('/') });
  expect(opened.text).toMatch(/### Snapshot\n```yaml\n(?:.*\n)*.*heading "hello"/);
  expect((await server.use('browser_click', { target: 'button' })).text).toMatch(/```yaml\n(?:.*\n)*.*bye/);
  expect((await readdir(output)).filter((name) => name.startsWith('page-'))).toEqual([]);
});

test('[mcp-browser.snapshot] a snapshot of more than 50,000 characters is cut and kept in its file', async () => {
  await using server = await startedServer(browser.port, output);
  const { text } = await server.use('browser_navigate', { url: site.url('/long') });
  expect(text.length).toBeLessThan(51_000);
  expect(text).toMatch(/- \d+ more characters: \/.*\/page-.*\.yml$/m);
});

test.each([
  ['a name of another kind', (dir: string) => join(dir, 'notes.yml')],
  ['a folder below', (dir: string) => join(dir, 'deep', 'page-1.yml')],
  ['another folder', () => '/etc/page-1.yml'],
  ['the way up', (dir: string) => `${dir}/x/../page-1.yml`],
])('[mcp-browser.snapshot] a text that a page wrote has no file read: %s', async (_what, pathIn) => {
  await writeFile(join(output, 'notes.yml'), 'secret');
  await writeFile(join(output, 'page-1.yml'), 'secret');
  const text = `### Snapshot\n- [Snapshot](${pathIn(output)})`;
  const answer = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } };
  expect(await new Answers({ outputDir: output }).complete(answer)).toEqual(answer);
});

test('[mcp-browser.files] file: addresses open with --file-urls; without it the error says what to do', async () => {
  const page = join(output, 'page.html');
  await writeFile(page, '<h1>of a file</h1>');
  await using allowed = await startedServer(browser.port, output, ['--file-urls']);
  const opened = await allowed.use('browser_navigate', { url: `file://${page}` });
  expect([opened.isError, opened.text]).toEqual([false, expect.stringContaining('heading "of a file"')]);
  await using refusing = await startedServer(browser.port, output);
  const refused = await refusing.use('browser_navigate', { url: `file://${page}` });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('python3 -m http.server')]);
});
