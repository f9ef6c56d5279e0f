import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { has } from '../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestBrowser } from '../../capabilities/browser/chromium.fixture.ts';
import { McpCaller } from '../mcp.fixture.ts';
import { OtherServer } from './upstream.fixture.ts';

/** What an image has of its build. */
const LISTED = {
  tools: [
    { name: 'browser_click', inputSchema: { type: 'object' } },
    { name: 'other', inputSchema: {} },
  ],
};

test('[mcp-browser.listed] tools of a file are listed without the server; a call says that no browser runs', async () => {
  await using directory = await tempDir();
  const file = join(directory.path, 'tools.json');
  await writeFile(file, JSON.stringify(LISTED));
  const ports = {
    MCP_SERVER_BROWSER_PORT: String(await freePort()),
    BROWSER_REMOTE_DEBUGGING_PORT: String(await freePort()),
  };
  const names = async (mcp: McpCaller): Promise<string[]> =>
    (await mcp.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
  await using mcp = await McpCaller.start({ ...ports, SVC_BROWSER_MCP_TOOLS: file });
  expect((await names(mcp)).filter((name) => /^browser_click|other/.test(name))).toEqual(['browser_click']);
  const { isError, content } = await mcp.call('browser_click');
  expect([isError, content[0].text]).toEqual([
    true,
    expect.stringMatching(/^no browser answers at .*\nHint: nothing here starts a browser/),
  ]);
  await using disabled = await McpCaller.start({ ...ports, SVC_BROWSER_MCP_TOOLS: file, DISABLE_MCP_BROWSER: 'true' });
  expect(await names(disabled)).not.toContain('browser_click');
  await writeFile(file, '{"tools":[{}]}');
  await using broken = await McpCaller.start({ ...ports, SVC_BROWSER_MCP_TOOLS: file });
  expect(await names(broken)).not.toContain('browser_click');
  expect(broken.daemon.log.join('')).toContain('has no list of tools');
});

test.runIf(has('chromium'))('[mcp-browser.listed] a call waits for the server of a browser that runs', async () => {
  await using directory = await tempDir();
  const file = join(directory.path, 'tools.json');
  await writeFile(file, JSON.stringify(LISTED));
  await using chromium = await TestBrowser.start();
  await using browser = await OtherServer.withTools('browser_click');
  await browser[Symbol.asyncDispose]();
  const port = new URL(browser.url).port;
  await using mcp = await McpCaller.start({
    MCP_SERVER_BROWSER_PORT: port,
    BROWSER_REMOTE_DEBUGGING_PORT: String(chromium.port),
    SVC_BROWSER_MCP_TOOLS: file,
  });
  const call = mcp.call('browser_click', { a: 1 });
  expect((await mcp.call('browser_get_info')).isError).toBeUndefined();
  await browser.listen();
  expect((await call).content[0].text).toBe('browser_click {"a":1}');
});
