import { expect, test } from 'vitest';
import { BrowserBench } from '../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { SNAPSHOT_PAGES } from './snapshot-pages.fixture.ts';
import { startedServer } from './started-server.fixture.ts';

/** Words, numbers of up to three digits, runs of other characters, and indentation: about what tokenizers make of it. */
const tokens = (text: string): number => (text.match(/\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]+|\n| {2,}/gu) ?? []).length;

test('[browser.snapshot-tokens] no snapshot of ten pages takes more tokens than that of @playwright/mcp', {
  timeout: 200_000,
}, async () => {
  await using directory = await tempDir();
  await using bench = await BrowserBench.start();
  await using server = await startedServer(bench.browser.port, directory.path);
  const rows: (readonly [string, number, number])[] = [];
  for (const [path, html] of Object.entries(SNAPSHOT_PAGES)) {
    bench.site.pages[path] = html;
    await server.use('browser_navigate', { url: bench.site.url(path) });
    const { text } = await server.use('browser_snapshot');
    const theirs = text.slice(text.indexOf('```yaml') + 8, text.lastIndexOf('```'));
    await using tab = await bench.open(bench.site.url(path));
    rows.push([path, tokens(await tab.text()), tokens(theirs)]);
  }
  const list = rows.map((row) => row.join(' ')).join('\n');
  expect(
    rows.filter(([, ours, theirs]) => ours > theirs),
    list,
  ).toEqual([]);
  expect(rows).toHaveLength(10);
});
