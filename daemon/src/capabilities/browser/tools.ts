import { requestIdOf } from '@sandbox/program/request-id.ts';
import { z } from 'zod';
import { servedCaller } from '../../core/access/public-caller.ts';
import { defineTool } from '../../core/tools/tool.ts';
import { ToolAnswer } from '../../core/tools/tool-answer.ts';
import type { BrowserService } from './browser-service.ts';
import { ActionBody, actionOf } from './wire/action.ts';

const Size = z.object({ width: z.number(), height: z.number() });

const getInfo = defineTool({
  name: 'browser_get_info',
  order: 8,
  title: 'Describe the browser',
  description: `Tells the user agent of the browser, the size of its display and of its page in pixels, its tabs, and the
address cdp_url for clients of DevTools. To open an address use browser_navigate if it is listed.
Example: {}`,
  annotations: { readOnlyHint: true, openWorldHint: false },
  schema: z.object({}),
  outputSchema: z.object({
    user_agent: z.string(),
    viewport: Size,
    page_viewport: Size.nullable(),
    cdp_url: z.string(),
    vnc_url: z.string(),
    tabs: z.array(z.object({ tab_id: z.string(), url: z.string(), title: z.string(), active: z.boolean() })),
  }),
  handler: async (service: BrowserService) => {
    const [{ userAgent, viewport, pageViewport }, { tabs }] = await Promise.all([service.describe(), service.use()]);
    const listed = await tabs.list();
    const { cdp, vnc } = service.urls.of(servedCaller());
    return {
      user_agent: userAgent,
      viewport,
      page_viewport: pageViewport,
      cdp_url: cdp,
      vnc_url: vnc,
      tabs: listed.map(({ id, url, title, active }) => ({ tab_id: id, url, title, active })),
    };
  },
});

const screenshot = defineTool({
  name: 'browser_gui_screenshot',
  order: 9,
  title: 'Take a picture of the browser',
  description: `Takes a PNG picture of the browser as a person would see it. A pixel of the picture is a coordinate of
browser_gui_execute_action. To read text use browser_snapshot if it is listed.
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
  title: 'Use mouse and keyboard',
  description: `Performs one action of a person: MOVE_TO and DRAG_TO take x and y; MOVE_REL and DRAG_REL x_offset and
y_offset; CLICK, RIGHT_CLICK and DOUBLE_CLICK x and y, or neither; SCROLL dx and dy; TYPING text, into the field that
was clicked; PRESS, KEY_DOWN and KEY_UP key; HOTKEY keys; WAIT duration. Coordinates are pixels of
browser_gui_screenshot: take one to see what the page made of it.
Example: {"action": {"action_type": "CLICK", "x": 320, "y": 200}}`,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  schema: z.object({ action: ActionBody }),
  outputSchema: z.object({
    status: z.enum(['success', 'failed']),
    action_performed: z.string(),
    message: z.string().nullish(),
  }),
  handler: async (service: BrowserService, { action }) => {
    const { outcome } = await service.act(actionOf(action), action.tab_id, {
      wantsPicture: false,
      requestId: requestIdOf(undefined),
    });
    const { success, message } = outcome;
    const data = { status: success ? 'success' : 'failed', action_performed: action.action_type, message };
    return new ToolAnswer({ data, isError: !success });
  },
});

export const browserTools = [getInfo, screenshot, executeAction];
