import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/root.ts';
import { memoryOf } from '../../../scripts/testing/process-memory.ts';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { lower } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { BROWSER_PEERS, BrowserBed, peerProgram } from '../testbed/browser-bed.ts';
import { latencies, rateOf } from '../testbed/load.ts';
import { McpStdio } from '../testbed/mcp-stdio.ts';
import { MIB } from '../testbed/memory.ts';

const CALLS = 200;
const PICTURES = 30;
const SNAPSHOTS = 30;
const CLICKS = 40;
const CALLERS = 16;
const WAITING_CALLS = 160;
const TABS = 1000;
/** A page that waits this long before it answers, in milliseconds. */
const WAITS_MS = 100;

const ROWS = Array.from(
  { length: 300 },
  (_, n) =>
    `<tr><td><a href="/item/${n}">Item ${n}</a><td><button>Buy ${n}</button><td><input aria-label="Count ${n}">`,
).join('');
const SHOP = `<title>Shop</title><h1>Shop</h1><button id=go style="position:fixed;top:0;right:0">Go</button><table>${ROWS}</table>`;

export const browser: Benchmark = {
  name: 'browser',
  about:
    'the routes of the browser on Chromium without a window, against a plain DevTools client on the same tab: medians ' +
    'of calls one at a time. Snapshot: a table of 300 rows with a link, a button and a field each; the raw call is ' +
    '`Accessibility.getFullAXTree`, and the peers are the snapshot tools of @playwright/mcp 0.0.83 and ' +
    'chrome-devtools-mcp 1.11.0 on standard streams, connected to the same browser. Click: three raw ' +
    '`Input.dispatchMouseEvent`. Callers: the rate of 16 callers on 16 tabs over that of one, each evaluating a ' +
    `promise of ${WAITS_MS} ms. First call: after a start of the daemon. Tabs: ${TABS.toLocaleString('en')} opened and closed one ` +
    'after another.',
  needs: [BROWSER_PEERS],
  async prepare(stack) {
    const bed = stack.use(await BrowserBed.open());
    bed.site.pages['/shop'] = SHOP;
    const tab_id = await bed.tab('/shop');
    const raw = await bed.raw(tab_id);
    const medianOf = async (count: number, call: () => Promise<unknown>): Promise<number[]> => {
      await latencies(5, call);
      return [median(await latencies(count, call))];
    };
    const expression = 'document.title';
    const snapshot = (): Promise<number[]> =>
      medianOf(SNAPSHOTS, () => bed.post('snapshot', { tab_id, max_length: 1_000_000 }));
    const peerOf = async (program: string, args: readonly string[], open: [string, object], tool: string) => {
      const server = stack.use(await McpStdio.start(peerProgram(program), args));
      await server.call(...open);
      return () => medianOf(SNAPSHOTS, () => server.call(tool));
    };
    const address = `http://127.0.0.1:${bed.browser.port}`;
    const url = bed.site.url('/shop');
    const playwright = await peerOf(
      '@playwright/mcp/cli.js',
      ['--cdp-endpoint', address, '--output-dir', join(ROOT, 'dist/playwright-mcp')],
      ['browser_navigate', { url }],
      'browser_snapshot',
    );
    const devtools = await peerOf(
      'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js',
      ['--browserUrl', address, '--no-page-id-routing'],
      ['navigate_page', { type: 'url', url }],
      'take_snapshot',
    );
    const ref = await refOf(bed, tab_id, 'button "Go"');
    return [
      firstCall(bed, tab_id),
      ...ofManyTabs(bed),
      {
        rows: [lower('evaluate', 'ms', { words: 'at most 0.5 ms more', of: 'difference', bound: 0.5 })],
        peer: 'raw CDP',
        measureOurs: () => medianOf(CALLS, () => bed.post('evaluate', { tab_id, expression })),
        measurePeer: () => medianOf(CALLS, () => raw.send('Runtime.evaluate', { expression, returnByValue: true })),
      },
      {
        rows: [lower('screenshot, PNG', 'ms', { words: 'at most 1.1×', of: 'ratio', bound: 1.1 })],
        peer: 'raw CDP',
        measureOurs: () => medianOf(PICTURES, () => bed.http.get(`/v2/browser/screenshot?tab_id=${tab_id}`)),
        measurePeer: () => medianOf(PICTURES, () => raw.send('Page.captureScreenshot', { format: 'png' })),
      },
      {
        rows: [lower('snapshot', 'ms', { words: 'at most 2×', of: 'ratio', bound: 2 })],
        peer: 'raw CDP',
        measureOurs: snapshot,
        measurePeer: () => medianOf(SNAPSHOTS, () => raw.send('Accessibility.getFullAXTree', {})),
      },
      {
        rows: [lower('snapshot, against @playwright/mcp', 'ms', { words: 'faster', of: 'ratio', bound: 1 })],
        peer: '@playwright/mcp',
        measureOurs: snapshot,
        measurePeer: playwright,
      },
      {
        rows: [lower('snapshot, against chrome-devtools-mcp', 'ms', { words: 'faster', of: 'ratio', bound: 1 })],
        peer: 'chrome-devtools-mcp',
        measureOurs: snapshot,
        measurePeer: devtools,
      },
      {
        rows: [lower('click of a ref', 'ms', { words: 'at most 20 ms more', of: 'difference', bound: 20 })],
        peer: 'raw CDP',
        measureOurs: () => medianOf(CLICKS, () => bed.post('click', { tab_id, ref })),
        measurePeer: () => medianOf(CLICKS, () => rawClick(raw)),
      },
    ];
  },
};

/** The first call of the browser after a start of the daemon, against a client that connects for it. */
function firstCall(bed: BrowserBed, tab_id: string): Measurement {
  const expression = '1';
  const timed = async (call: () => Promise<unknown>): Promise<number[]> => latencies(1, call);
  return {
    rows: [
      {
        name: 'first call after a start',
        unit: 'ms',
        better: 'lower',
        goal: { words: 'under 50 ms', of: 'value', bound: 50 },
      },
    ],
    peer: 'raw CDP',
    measureOurs: async () => {
      await using another = await bed.anotherDaemon();
      return await timed(() => another.evaluate(tab_id, expression));
    },
    measurePeer: () => timed(async () => (await bed.raw(tab_id)).send('Runtime.evaluate', { expression })),
  };
}

/** What many tabs at once, and one after another, cost. */
function ofManyTabs(bed: BrowserBed): readonly Measurement[] {
  return [
    {
      rows: [
        {
          name: `${CALLERS} callers over one`,
          unit: '×',
          better: 'higher',
          goal: { words: 'at least 4×', of: 'value', bound: 4 },
        },
      ],
      peer: 'raw CDP',
      rounds: 2,
      measureOurs: () => speedUp(bed, (id, source) => bed.post('evaluate', { tab_id: id, expression: source })),
      measurePeer: async () => {
        const sessions = new Map<string, Awaited<ReturnType<BrowserBed['raw']>>>();
        return speedUp(bed, async (id, source) => {
          const session = sessions.get(id) ?? (await bed.raw(id));
          sessions.set(id, session);
          await session.send('Runtime.evaluate', { expression: source, awaitPromise: true });
        });
      },
    },
    {
      rows: [
        {
          name: `${TABS} tabs, memory`,
          unit: 'MiB',
          better: 'lower',
          goal: { words: 'at most 8 MiB', of: 'value', bound: 8 },
        },
        {
          name: `${TABS} tabs, descriptors`,
          unit: '',
          better: 'lower',
          goal: { words: 'none', of: 'value', bound: 0 },
        },
      ],
      peer: 'the daemon before',
      rounds: 1,
      measureOurs: () => growth(bed),
      measurePeer: async () => [0, 0],
    },
  ];
}

async function refOf(bed: BrowserBed, tab_id: string, line: string): Promise<string> {
  const { snapshot } = await bed.post('snapshot', { tab_id });
  const found = String(snapshot)
    .split('\n')
    .find((each) => each.includes(line));
  const ref = /\[ref=(e\d+)\]/.exec(found ?? '')?.[1];
  if (ref === undefined) throw new Error(`no ${line} in the snapshot`);
  return ref;
}

async function rawClick(raw: Awaited<ReturnType<BrowserBed['raw']>>): Promise<void> {
  const at = { x: 1250, y: 10, button: 'left', clickCount: 1 } as const;
  for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'] as const) {
    await raw.send('Input.dispatchMouseEvent', { type, ...at });
  }
}

/** The rate of 16 callers on their own tabs, divided by that of one. */
async function speedUp(bed: BrowserBed, call: (tabId: string, source: string) => Promise<unknown>): Promise<number[]> {
  const tabs = await Promise.all(Array.from({ length: CALLERS }, () => bed.tab('/shop')));
  const source = `new Promise((resolve) => setTimeout(resolve, ${WAITS_MS}))`;
  const free = [...tabs];
  const once = async (): Promise<void> => {
    const id = free.pop() ?? tabs[0] ?? '';
    await call(id, source);
    free.push(id);
  };
  const one = await rateOf(1, WAITING_CALLS / CALLERS, once);
  const many = await rateOf(CALLERS, WAITING_CALLS, once);
  const { port } = bed.daemon;
  await Promise.all(tabs.map((id) => fetch(`http://127.0.0.1:${port}/v2/browser/tabs/${id}`, { method: 'DELETE' })));
  return [many / one];
}

/** What the daemon has more after a thousand tabs. */
async function growth(bed: BrowserBed): Promise<number[]> {
  const { pid, port } = bed.daemon;
  const openAndClose = async (): Promise<void> => {
    const { id } = await bed.post('tabs', {});
    await fetch(`http://127.0.0.1:${port}/v2/browser/tabs/${id}`, { method: 'DELETE' });
  };
  const descriptors = (): number => readdirSync(`/proc/${pid}/fd`).length;
  for (let count = 0; count < TABS / 10; count += 1) await openAndClose();
  const before = { rss: memoryOf(pid).rss, open: descriptors() };
  for (let count = 0; count < TABS; count += 1) await openAndClose();
  return [(memoryOf(pid).rss - before.rss) / MIB, Math.max(descriptors() - before.open, 0)];
}
