import { describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { McpCaller } from '../../mcp/mcp.fixture.ts';
import { TestBrowser } from './chromium.fixture.ts';

const WITHOUT_BROWSER = { BROWSER_REMOTE_DEBUGGING_PORT: '1' };

test('[mcp.browser] without a browser each tool is an isError result that says so', async () => {
  await using mcp = await McpCaller.start(WITHOUT_BROWSER);
  for (const [name, args] of [
    ['browser_get_info', {}],
    ['browser_gui_screenshot', {}],
    ['browser_gui_execute_action', { action: { action_type: 'CLICK', x: 1, y: 1 } }],
  ] as const) {
    const { isError, content } = await mcp.call(name, args);
    expect([name, isError, content[0].text]).toEqual([name, true, expect.stringContaining('Hint: ')]);
  }
});

test('[mcp.browser] a wrong action names what is wrong', async () => {
  await using mcp = await McpCaller.start(WITHOUT_BROWSER);
  const act = async (args: object) => (await mcp.call('browser_gui_execute_action', args)).content[0].text;
  expect(await act({})).toBe('action is required');
  expect(await act({ action: { action_type: 'MOVE_TO', x: 1 } })).toBe('action.y is required');
  expect(await act({ action: { action_type: 'FLY' } })).toContain('action.action_type');
});

describe.runIf(has('chromium'))('with a browser', () => {
  test('[mcp.browser] what the picture shows is clicked, typed into and described', async () => {
    await using browser = await TestBrowser.start(['--window-size=800,600']);
    await using mcp = await McpCaller.start({ BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) });
    const html = '<title>shop</title><body style="margin:0"><input id=i style="position:absolute;left:100px;top:50px">';
    await mcp.daemon.post('/v2/browser/navigate', { url: `data:text/html,${encodeURIComponent(html)}` });
    expect(await mcp.data('browser_get_info')).toMatchObject({
      user_agent: expect.stringContaining('Chrome'),
      tabs: [{ title: 'shop', active: true }],
    });
    const { content } = await mcp.call('browser_gui_screenshot');
    expect(content).toEqual([{ type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) }]);
    const act = (action: object) => mcp.data('browser_gui_execute_action', { action });
    expect(await act({ action_type: 'CLICK', x: 110, y: 60 })).toMatchObject({ status: 'success' });
    await act({ action_type: 'TYPING', text: 'héllo' });
    const value = await mcp.daemon.post('/v2/browser/evaluate', { expression: 'i.value' });
    expect(value.json().data.result).toBe('héllo');
  });
});
