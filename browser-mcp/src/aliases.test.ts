import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBrowser, TestSite } from '../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { ALIASES } from '../../daemon/src/mcp/aliases/aliases.ts';
import { McpCaller } from '../../daemon/src/mcp/mcp.fixture.ts';
import { has } from '../../scripts/testing/machine.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { type Server, startedServer } from './started-server.fixture.ts';

const PAGE = `<title>one</title><h1>Head</h1><p>Some <b>bold</b> text and a <a href="/two">link</a>.</p>
  <ul><li>first<li>second</ul><table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x = 1</pre><p hidden>not shown</p>
  <input aria-label=name value=old><select aria-label=size><option>small<option>large</select>
  <a id=get href="/file">get</a><div style="height: 5000px"></div>`;

describe.skipIf(!has('chromium'))('with a browser', () => {
  const stack = new AsyncDisposableStack();
  let site: TestSite;
  let server: Server;
  let ports: Record<string, string>;
  let mcp: McpCaller;

  beforeAll(async () => {
    const browser = stack.use(await TestBrowser.start());
    site = stack.use(await TestSite.start());
    server = stack.use(await startedServer(browser.port, stack.use(await tempDir()).path));
    ports = { MCP_SERVER_BROWSER_PORT: String(server.port), BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) };
    mcp = stack.use(await McpCaller.start({ ...ports, SVC_MCP_TOOLS: '1.x' }));
    site.pages['/one'] = PAGE;
    site.pages['/two'] = '<title>two</title>';
    site.pages['/file'] = (_request, response) =>
      void response.writeHead(200, { 'content-disposition': 'attachment; filename=a.txt' }).end('bytes');
  }, 100_000);

  afterAll(() => stack.disposeAsync());

  const text = async (name: string, args: object = {}): Promise<string> => {
    const { content, isError } = await mcp.call(name, args);
    expect([name, isError ?? false, content[0].text]).toEqual([name, false, content[0].text]);
    return content[0].text;
  };
  const run = (source: string): Promise<string> => text('browser_evaluate', { function: `() => ${source}` });
  const indexOf = (snapshot: string, name: string): number =>
    Number(new RegExp(`"${name}" \\[ref=e(\\d+)\\]`).exec(snapshot)?.[1]);

  test('[mcp.tool-sets] core lists the built-in tools, full those of pages too, 1.x their older names after them', async () => {
    const names = async (set: string): Promise<string[]> => {
      await using caller = await McpCaller.start({ ...ports, SVC_MCP_TOOLS: set });
      return (await caller.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
    };
    const [core, full, old] = [await names('core'), await names('full'), await names('1.x')];
    expect(core).toHaveLength(10);
    expect(full.slice(0, 10)).toEqual(core);
    expect(full).toContain('browser_snapshot');
    expect(old).toEqual([...full, ...ALIASES.map(({ name }) => name)]);
    await using caller = await McpCaller.start({ ...ports, SVC_MCP_TOOLS: 'core' });
    expect(await caller.call('browser_snapshot')).toMatchObject({ error: { code: -32602 } });
    await expect(McpCaller.start({ SVC_MCP_TOOLS: 'all' })).rejects.toThrow('expected one of full, core, 1.x');
  });

  test('[mcp.aliases] without the browser MCP server no name is listed that it would serve', async () => {
    await using caller = await McpCaller.start({ SVC_MCP_TOOLS: '1.x' });
    const listed = (await caller.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
    expect(listed.filter((name: string) => name.startsWith('browser_')).slice(3)).toEqual([
      'browser_get_download_list',
    ]);
  });

  /** What each name does on the page. */
  const USES: Readonly<Record<string, () => Promise<void>>> = {
    browser_scroll: async () => {
      expect(JSON.parse(await text('browser_scroll', { amount: 300 }))).toEqual({ y: 300 });
      expect(JSON.parse(await text('browser_scroll', { amount: -100 }))).toEqual({ y: 200 });
      expect(JSON.parse(await text('browser_scroll')).y).toBeGreaterThan(4000);
    },
    browser_get_text: async () => {
      const seen = await text('browser_get_text');
      expect([seen.includes('Some bold text and a link.'), seen.includes('not shown')]).toEqual([true, false]);
    },
    browser_get_markdown: async () => {
      expect(await text('browser_get_markdown')).toBe(
        `# Head\n\nSome **bold** text and a [link](${site.url('/two')}).\n\n- first\n- second\n\n` +
          `| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\`\`\`\nx = 1\n\`\`\`\n\n[get](${site.url('/file')})`,
      );
    },
    browser_read_links: async () => {
      const links = [
        { text: 'link', href: site.url('/two') },
        { text: 'get', href: site.url('/file') },
      ];
      expect(JSON.parse(await text('browser_read_links'))).toEqual({ links });
    },
    browser_form_input_fill: async () => {
      const index = indexOf(await text('browser_get_clickable_elements'), 'name');
      await text('browser_form_input_fill', { index, value: 'ann', clear: true });
      expect(await run("document.querySelector('input').value")).toContain('ann');
      await text('browser_form_input_fill', { selector: 'input', value: 'bob' });
      expect(await run("document.querySelector('input').value")).toContain('bob');
      const refused = await mcp.call('browser_form_input_fill', { value: 'x' });
      expect([refused.isError, refused.content[0].text]).toEqual([true, expect.stringContaining('index or selector')]);
    },
    browser_select: async () => {
      await text('browser_select', { selector: 'select', value: 'large' });
      expect(await run("document.querySelector('select').value")).toContain('large');
    },
    browser_get_clickable_elements: async () => {
      expect(indexOf(await text('browser_get_clickable_elements'), 'link')).toBeGreaterThan(0);
    },
    browser_screenshot: async () => {
      for (const args of [{}, { fullPage: true }, { selector: 'h1' }]) {
        const { content } = await mcp.call('browser_screenshot', args);
        expect(content.map(({ type }: { type: string }) => type)).toContain('image');
      }
    },
    browser_go_back: async () => {
      await text('browser_navigate', { url: site.url('/two') });
      expect(await text('browser_go_back')).toContain('/one');
    },
    browser_go_forward: async () => {
      await text('browser_go_forward');
      await expect.poll(() => run('document.title')).toContain('two');
    },
    browser_new_tab: async () => {
      expect(await text('browser_new_tab', { url: site.url('/two') })).toContain('/two');
    },
    browser_tab_list: async () => {
      expect(await text('browser_tab_list')).toContain('[two]');
    },
    browser_switch_tab: async () => {
      await text('browser_switch_tab', { index: 0 });
    },
    browser_close_tab: async () => {
      const before = (await text('browser_tab_list')).match(/^- \d+:/gm)?.length ?? 0;
      await text('browser_new_tab', { url: 'about:blank' });
      await text('browser_close_tab');
      expect((await text('browser_tab_list')).match(/^- \d+:/gm)).toHaveLength(before);
    },
    browser_get_download_list: async () => {
      await text('browser_navigate', { url: site.url('/one') });
      await text('browser_click', { target: '#get', element: 'link' });
      const list = async () => JSON.parse(await text('browser_get_download_list')).list;
      await expect
        .poll(list)
        .toEqual([expect.objectContaining({ suggestedFilename: 'a.txt', url: site.url('/file') })]);
    },
  };

  test('[mcp.aliases] each name of 1.x does what its target does', async () => {
    expect(Object.keys(USES).sort()).toEqual(ALIASES.map(({ name }) => name).sort());
    await text('browser_navigate', { url: site.url('/one') });
    for (const use of Object.values(USES)) await use();
    // A table with a target that no tool serves would fail only when it is called.
    const { tools } = (await mcp.request('tools/list')).result;
    const names = tools.map(({ name }: { name: string }) => name);
    expect(ALIASES.filter(({ target }) => !names.includes(target)).map(({ name }) => name)).toEqual([
      'browser_get_download_list',
    ]);
  });
});
