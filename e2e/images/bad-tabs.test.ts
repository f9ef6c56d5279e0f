import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignore } from '@sandbox/program/ignore.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RawTab } from '../../browser-mcp/src/raw-tab.fixture.ts';
import { FINE, SPOILED, useAll } from '../../browser-mcp/src/spoiled-tabs.fixture.ts';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { ROOT } from '../../scripts/root.ts';
import { given, openSite } from './browser-site.ts';
import { startServer } from './observe.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';
import { pidOf } from './supervisor.ts';

const KEY = 'secret-key';
const METER_PORT = 3201;
const METER_FILE = '/tmp/processor-wait.ts';
/** Answers the milliseconds that the service and the browser have waited for a processor since the last request. */
const METER = `import { createServer } from "node:http";
import { ProcessorWait } from "${METER_FILE}";
const wait = new ProcessorWait(1);
createServer((_, res) => res.end(String(wait.take()))).listen(${METER_PORT}, "127.0.0.1", () => console.log("open"))`;

interface Answer {
  readonly result: { readonly content: readonly { text?: string }[]; readonly isError?: boolean };
}

describe.each([DAEMON_IMAGE, DESKTOP_IMAGE])('%s', (image) => {
  const env = { SVC_API_KEY: KEY, SVC_ACCESS_LOG: 'all', BROWSER_START_MODE: 'auto', ...NO_KERNELS };
  const sandbox = sharedSandbox({ image, env });
  const opened: RawTab[] = [];
  let site: Promise<void> | undefined;

  const openMeter = async (): Promise<void> => {
    const content = await readFile(join(ROOT, 'browser-mcp/src/processor-wait.fixture.ts'));
    await sandbox().container.copyContentToContainer([{ content, target: METER_FILE, mode: 0o644 }]);
    await startServer(sandbox(), `exec node --input-type=module -e '${METER}'`, 'open');
  };

  beforeEach(async () => {
    site ??= Promise.all([openSite(sandbox()), openMeter()]).then(ignore);
    await site;
  });

  afterEach(async () => {
    for (const tab of opened.splice(0)) await tab.close();
  });

  /** How long the service took for a request, by its log: the process of the test has another share of the machine. */
  const loggedMs = async (id: string): Promise<number> => {
    const line = () =>
      sandbox()
        .rawLog.split('\n')
        .find((text) => text.includes(`"reqId":"${id}"`));
    await expect.poll(line, { interval: 10 }).toBeDefined();
    return (JSON.parse(line() ?? '') as { ms: number }).ms;
  };

  /** With control groups of version 1 all containers together have the share of one process beside them. */
  const wait = { take: async () => Number(await (await sandbox().fetch(`/proxy/${METER_PORT}/`)).text()) };

  /** The tools of pages as an agent has them: by the hub. */
  const hub = {
    use: async (name: string, args: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
      const answer = await sandbox().fetch('/mcp', { method: 'POST', body });
      const { content, isError = false } = ((await answer.json()) as Answer).result;
      const text = content.map((part) => part.text ?? '').join('\n');
      return { text, isError, ms: await loggedMs(answer.headers.get('x-request-id') ?? '') };
    },
  };

  const spoiledTab = async (spoil: (tab: RawTab) => Promise<void>): Promise<void> => {
    const credential = { headers: { 'x-api-key': KEY }, query: `?api_key=${KEY}` };
    const tab = await RawTab.open({ devtools: `${sandbox().url}/cdp`, ...credential }, given('<title>empty</title>'));
    opened.push(tab);
    await spoil(tab);
  };

  test.each(Object.entries(SPOILED))(
    '[mcp-browser.bad-tabs] with a tab that is %s, before and after the server knows it, every tool works on another',
    { timeout: 180_000 },
    async (_kind, spoil) => {
      await hub.use('browser_tabs', { action: 'list' });
      await spoiledTab(spoil);
      await useAll(hub, wait, given(FINE));
      // A server that has just started meets the tab when it connects.
      const pid = await pidOf(sandbox(), 'browser-mcp');
      await sandbox().shell(`kill -KILL ${pid}`);
      await expect.poll(() => pidOf(sandbox(), 'browser-mcp')).toSatisfy((now) => now !== undefined && now !== pid);
      await hub.use('browser_tabs', { action: 'list' });
      await useAll(hub, wait, given(FINE));
    },
  );
});
