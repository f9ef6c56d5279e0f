import { z } from 'zod';
import { defineTool } from '../../core/tools/tool.ts';
import { ToolAnswer } from '../../core/tools/tool-answer.ts';
import type { BrowserService } from './browser-service.ts';
import { ActionBody, actionOf } from './wire/action.ts';

const getInfo = defineTool({
  name: 'browser_get_info',
  order: 8,
  title: 'Describe the browser',
  description: `Tells the user agent of the browser, the size of its display or page, and which tabs are open.
Use it before the first action. To read or fill pages by their content use the tools of the browser's own server.
Example: {}`,
  annotations: { readOnlyHint: true, openWorldHint: false },
  schema: z.object({}),
  handler: async (service: BrowserService) => {
    const [{ userAgent, viewport, pageViewport }, { tabs }] = await Promise.all([service.describe(), service.use()]);
    const listed = await tabs.list();
    return {
      user_agent: userAgent,
      viewport,
      page_viewport: pageViewport,
      tabs: listed.map(({ id, url, title, active }) => ({ tab_id: id, url, title, active })),
    };
  },
});

const screenshot = defineTool({
  name: 'browser_gui_screenshot',
  order: 9,
  title: 'Take a picture of the browser',
  description: `Answers a PNG of what a person would see. The pixels of the picture are the coordinates of
browser_gui_execute_action. Take one before you click, and one afterwards to see what happened.
Example: {}`,
  annotations: { readOnlyHint: true, openWorldHint: false },
  schema: z.object({}),
  handler: async (service: BrowserService) => {
    const { picture } = await service.screenshot({ target: 'auto', fullPage: false, format: 'png', scale: 1 });
    return new ToolAnswer({ text: '', images: [{ data: picture.bytes, mimeType: 'image/png' }] });
  },
});

const executeAction = defineTool({
  name: 'browser_gui_execute_action',
  order: 10,
  title: 'Use mouse and keyboard in the browser',
  description: `Performs one action: MOVE_TO, MOVE_REL, CLICK, RIGHT_CLICK, DOUBLE_CLICK, MOUSE_DOWN, MOUSE_UP, DRAG_TO,
DRAG_REL, SCROLL, TYPING, PRESS, KEY_DOWN, KEY_UP, HOTKEY or WAIT. Coordinates are pixels of browser_gui_screenshot.
Click into a field before you type. Answers whether the action was performed, not what the page made of it.
Example: {"action": {"action_type": "CLICK", "x": 320, "y": 200}}`,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  schema: z.object({ action: ActionBody }),
  handler: async (service: BrowserService, { action }) => {
    const { outcome } = await service.act(actionOf(action), action.tab_id, false);
    const { success, message } = outcome;
    const data = { status: success ? 'success' : 'failed', action_performed: action.action_type, message };
    return new ToolAnswer({ data, isError: !success });
  },
});

export const browserTools = [getInfo, screenshot, executeAction];
