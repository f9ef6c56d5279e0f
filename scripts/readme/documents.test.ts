import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { snippetsFor } from '../../gateway/pages/app/overview/snippets.ts';
import { documentedImage } from '../images/image-names.ts';
import { ROOT } from '../root.ts';
import { trackedFiles } from '../structure/tracked-files.ts';
import { noticeOf } from './notice.ts';

const README_LINES_MAX = 150;

function read(file: string): Promise<string> {
  return readFile(join(ROOT, file), 'utf8');
}

/** The text of a heading as it stands in a link. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

test('the README is short, and its snippets are those that the app shows and the tests run', async () => {
  const readme = await read('README.md');
  expect(readme.split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
  const missing = snippetsFor('http://127.0.0.1:8080').filter(({ text }) => !readme.includes(text));
  // The README has httpx for Python, which a test of E2B's clients runs.
  expect(missing.map(({ name }) => name)).toEqual(['Python']);
});

test('the README and the guide have the same docker run', async () => {
  const [, block] = (await read('README.md')).match(/^(docker run (?:[^\n]*\\\n)*[^\n]*)$/m) ?? [];
  expect(block).toContain(` ${documentedImage('daemon')}`);
  expect(await read('docs/getting-started.md')).toContain(`\n${block}\n`);
});

/** Whether a link of a document leads to a file, and to a heading of it. */
async function isGood(document: string, target: string): Promise<boolean> {
  const [path = '', anchor] = target.split('#', 2);
  const linked = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(ROOT, linked))) return false;
  if (anchor === undefined || !linked.endsWith('.md')) return true;
  return [...(await read(linked)).matchAll(/^#+ (.*)$/gm)].some(([, text = '']) => anchorOf(text) === anchor);
}

test('each link of a document to this repository leads to a file and a heading', async () => {
  const broken: string[] = [];
  for (const document of (await trackedFiles()).filter((file) => file.endsWith('.md'))) {
    const links = [...(await read(document)).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
    for (const target of links.filter((link) => !/^[a-z+]+:/.test(link))) {
      if (!(await isGood(document, target))) broken.push(`${document}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test('docs/dependencies.md has a row for each library of the product, and no other', async () => {
  const used = new Set<string>();
  for await (const file of glob('{package.json,*/package.json,clients/*/package.json}', { cwd: ROOT })) {
    const { dependencies = {} } = JSON.parse(await read(file)) as { dependencies?: Record<string, string> };
    for (const name of Object.keys(dependencies)) if (!name.startsWith('@sandbox/')) used.add(name);
  }
  const [, table = ''] = (await read('docs/dependencies.md')).split('## In the product\n');
  const rows = (table.split('\n## ', 1)[0] ?? '').matchAll(/^\| (`[^|]*`) \|/gm);
  const named = [...rows].flatMap(([, cell = '']) => cell.split(', ').map((name) => name.replaceAll('`', '')));
  expect(named.toSorted()).toEqual([...used].toSorted());
});

test('NOTICE is up to date (npm run docs writes it)', async () => {
  expect(noticeOf(await read('package-lock.json'))).toBe(await read('NOTICE'));
});

test('the index of the decisions names each, with its title', async () => {
  const index = await read('docs/adr/README.md');
  const decisions = (await trackedFiles()).filter((file) => /^docs\/adr\/\d/.test(file)).toSorted();
  const titles = await Promise.all(
    decisions.map(async (file) => `- [${(await read(file)).split('\n', 1)[0]?.slice(2)}](${file.split('/').at(-1)})`),
  );
  expect(index.match(/^- .*$/gm)).toEqual(titles);
});
