import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { debianProgram } from '../../../scripts/test-all/need.ts';
import { personsBrowser } from '../../pages/browsers.ts';
import type { Benchmark, Measurement, Row } from '../harness/benchmark.ts';
import { besideFloor } from '../harness/rows.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { type LongestTask, longestTask } from '../testbed/page-tasks.ts';
import { startDaemon, startGateway, startPeer } from '../testbed/services.ts';

const FILES = 10_000;
/** Lines of 100 bytes. */
const OUTPUT_LINES = 100_000;
const OUTPUT = `yes ${'x'.repeat(99)} | head -n ${OUTPUT_LINES}; echo the-end`;
/** A page that puts every row into the document, as a page without a virtual list does. */
const PLAIN = `<div id="list"></div><script>
list.innerHTML = Array.from({ length: ${FILES} }, (_, i) => '<div>file-' + i + '.txt</div>').join('');</script>`;

/** The plainest page that lists the directory: it draws the rows in view alone, and again when it is scrolled. */
const LIST = `<div id="list" tabindex="0" style="height: 600px; overflow: auto"><div id="all"></div></div><p id="said"></p>
<script>
const HEIGHT = 24;
let names = [];
function draw() {
  const first = Math.floor(list.scrollTop / HEIGHT);
  const shown = names.slice(first, first + 30);
  all.style.cssText = 'box-sizing: border-box; height: ' + names.length * HEIGHT + 'px; padding-top: ' + first * HEIGHT + 'px';
  all.replaceChildren(...shown.map((name) => Object.assign(document.createElement('div'), { textContent: name, style: 'height: 24px' })));
}
list.onscroll = () => requestAnimationFrame(draw);
async function show(path) {
  const answer = await fetch('/v2/fs/list?path=' + path);
  names = (await answer.json()).data.files.map(({ name }) => name).sort();
  draw();
  said.textContent = names.length + ' entries';
}
</script>`;

export const app: Benchmark = {
  name: 'app',
  about:
    'the app at `/` in a browser, in a window of 1280 × 800. Size: the document and all that it loads, compressed by ' +
    'gzip, although the gateway sends it as it is. Usable: from the navigation to the first drawing with the state of ' +
    'the sandbox, loaded without a cache; beside it an empty page of a bare Node server. Longest task: of the main ' +
    "thread in the browser's trace, while a directory of 10,000 files is opened and scrolled to its end, beside a " +
    'page that puts 10,000 rows into the document, and (floor) beside a page of twenty lines that draws the rows in ' +
    'view; and while 10 MB are written to a terminal and by a command. Its ' +
    'processor time: without the time in which the browser draws, and the services work, on the same processors.',
  reasons: {
    '10,000 files, longest task':
      'Chromium runs the thread of a page at a lower priority than its own process, which draws without a graphics ' +
      'card, and than the services and the program that measures; all share two processors here. The processor time ' +
      'of the task is the part that the app needs.',
  },
  needs: [debianProgram('chromium', 'the app is measured in it')],
  async prepare(stack) {
    const directory = await mkdtemp(join(tmpdir(), 'bench-app-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    for (let file = 0; file < FILES; file += 1) await writeFile(join(directory, `file-${file}.txt`), '');
    const daemon = stack.use(await startDaemon());
    const gateway = stack.use(await startGateway(daemon));
    const bare = stack.use(await startPeer('bare.mjs'));
    const browser = stack.use(await personsBrowser());
    const client = stack.use(new HttpClient(gateway.port, { accept: 'text/html' }));
    const home = `http://127.0.0.1:${gateway.port}/`;
    const row = (name: string, unit: string, words: string, bound: number): Row => ({
      name,
      unit,
      better: 'lower',
      goal: { words, of: 'value', bound },
    });
    const withPage = async (measure: (page: Page) => Promise<number | LongestTask>): Promise<number[]> => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const figure = await measure(page);
      await page.close();
      return typeof figure === 'number' ? [figure] : [figure.ms, figure.processorMs];
    };
    const taskRows = (name: string, words: string, bound: number): Row[] => [
      row(`${name}, longest task`, 'ms', words, bound),
      row(`${name}, longest task, processor time`, 'ms', words, bound),
    ];
    const none = async (): Promise<number[]> => [0];
    const files: Measurement = {
      rows: taskRows('10,000 files', 'under 50 ms', 50),
      peer: '10,000 rows in the document',
      measureOurs: () => withPage((page) => filesTask(browser, page, { home, directory })),
      measurePeer: () => withPage((page) => longestTask(browser, page, () => page.setContent(PLAIN))),
    };
    return [
      {
        rows: [row('landing page with all that it loads, gzip', 'KB', 'under 200 KB', 200)],
        peer: 'nothing',
        rounds: 1,
        measureOurs: async () => [(await compressed(client)) / 1000],
        measurePeer: none,
      },
      {
        rows: [row('landing page usable', 'ms', 'under 500 ms', 500)],
        peer: 'an empty page',
        measureOurs: () => withPage((page) => usable(page, home)),
        measurePeer: () => withPage((page) => loaded(page, `http://127.0.0.1:${bare.port}/`)),
      },
      files,
      besideFloor(files, 'a list of twenty lines', () =>
        withPage((page) => listTask(browser, page, { home, directory })),
      ),
      {
        rows: taskRows('10 MB of terminal output', 'under 100 ms', 100),
        peer: 'the same 10 MB of a command, in the app',
        measureOurs: () => withPage((page) => terminalTask(browser, page, `${home}terminal/`)),
        measurePeer: () => withPage((page) => commandTask(browser, page, `${home}#/commands`)),
      },
    ];
  },
};

async function compressed(client: HttpClient): Promise<number> {
  const texts = ['/', '/app/app.js', '/app/app.css', '/app/icon.svg'].map(async (path) =>
    requireOk(await client.get(path)),
  );
  return (await Promise.all(texts)).reduce((sum, text) => sum + gzipSync(text).length, 0);
}

async function usable(page: Page, url: string): Promise<number> {
  await page.goto(url);
  await page.getByRole('meter').first().waitFor();
  return page.evaluate<number>("performance.getEntriesByName('usable')[0].startTime");
}

async function loaded(page: Page, url: string): Promise<number> {
  await page.goto(url);
  return page.evaluate<number>("performance.getEntriesByType('navigation')[0].domComplete");
}

/** The page is loaded already: that is a row of its own. */
async function filesTask(
  browser: Browser,
  page: Page,
  { home, directory }: { readonly home: string; readonly directory: string },
): Promise<LongestTask> {
  await page.goto(home);
  await page.getByRole('meter').first().waitFor();
  return longestTask(browser, page, async () => {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/files?path=${directory}`)}`);
    await page.getByText('10,000 entries', { exact: true }).waitFor();
    await page.getByRole('grid').focus();
    await scrollToEnd(page);
  });
}

async function scrollToEnd(page: Page): Promise<void> {
  for (let screen = 0; screen < 20; screen += 1) await page.keyboard.press('PageDown');
  await page.keyboard.press('End');
  await page.getByText('file-9999.txt').waitFor();
}

/** The same on the page `LIST`. */
async function listTask(
  browser: Browser,
  page: Page,
  { home, directory }: { readonly home: string; readonly directory: string },
): Promise<LongestTask> {
  await page.goto(`${home}health`);
  await page.setContent(LIST);
  return longestTask(browser, page, async () => {
    await page.evaluate(`show(${JSON.stringify(directory)})`);
    await page.getByText('10000 entries', { exact: true }).waitFor();
    await page.locator('#list').focus();
    await scrollToEnd(page);
  });
}

async function terminalTask(browser: Browser, page: Page, url: string): Promise<LongestTask> {
  await page.goto(url);
  await page.locator('.xterm-rows').waitFor();
  await page.keyboard.type(OUTPUT.replace('the-end', 'the-""end'));
  return longestTask(browser, page, async () => {
    await page.keyboard.press('Enter');
    await page.locator('.xterm-rows').getByText('the-end', { exact: true }).waitFor();
  });
}

async function commandTask(browser: Browser, page: Page, url: string): Promise<LongestTask> {
  await page.goto(url);
  await page.getByRole('textbox', { name: 'Command', exact: true }).fill(OUTPUT.replace('the-end', 'the-""end'));
  return longestTask(browser, page, async () => {
    await page.keyboard.press('Enter');
    await page
      .getByRole('log')
      .getByText(/^the-end$/m)
      .waitFor();
  });
}
