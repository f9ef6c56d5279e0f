import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { publicCallerOf } from '../../../http/access/public-caller.ts';
import type { BrowserService } from '../browser-service.ts';
import type { LoggedRequest } from '../network/logged-request.ts';
import { rawCall } from '../page/raw-call.ts';
import { answerOf, browserErrors, Flag, type Surface, seconds, TabId, tags } from './surface.ts';

const SizeFields = z.object({ width: z.int(), height: z.int() });

const InfoFields = z
  .object({
    user_agent: z.string(),
    cdp_url: z.string().meta({
      description: 'URL for a CDP client; contains a ticket valid for one hour if the key was sent in a header.',
    }),
    vnc_url: z.string().meta({ description: 'Page with the display.' }),
    cdp_ui_url: z.string().nullable(),
    viewport: SizeFields.meta({ description: 'Size of the display.' }),
    page_viewport: SizeFields.nullable().meta({ description: 'Inner size of the page; null if it is not known.' }),
  })
  .meta({ id: 'BrowserInfo' });

const Side = z.int().min(100).max(7680);
const ConfigBody = z
  .object({
    resolution: z.object({ width: Side, height: Side }).optional().meta({ description: 'Absent: nothing changes.' }),
  })
  .meta({ id: 'ConfigureBrowser', example: { resolution: { width: 1280, height: 800 } } });
const ConfigFields = z.object({ viewport: SizeFields, page_viewport: SizeFields.nullable() });

const CdpBody = z
  .object({
    method: z.string().regex(/^[A-Za-z]{1,64}\.[A-Za-z]{1,64}$/, 'is not a method such as Page.navigate'),
    params: z.record(z.string(), z.unknown()).default({}),
    tab_id: TabId,
    browser: z.boolean().default(false).meta({ description: 'Call the browser instead of a tab.' }),
    timeout: seconds(30),
  })
  .meta({ id: 'CallBrowser', example: { method: 'Runtime.evaluate', params: { expression: '1 + 1' } } });

const RequestQuery = z.object({
  limit: queryNumber(z.int().min(0).max(5000)).prefault(100).meta({ description: 'The newest ones.' }),
  clear: Flag.optional().meta({ description: 'Forget all requests after this answer.' }),
  filter: z.string().min(1).optional().meta({ description: 'Part of the URL.' }),
  tab_id: TabId,
});

const RequestFields = z
  .object({
    id: z.string(),
    tab_id: z.string(),
    url: z.string(),
    method: z.string(),
    status: z.int().nullable(),
    type: z.string(),
    mime_type: z.string().nullable(),
    started_at: z.string(),
    duration_ms: z.int().nullable().meta({ description: 'Null while it is open.' }),
    failed: z.boolean(),
    error: z.string().nullable(),
  })
  .meta({ id: 'BrowserRequest' });

function requestFields(request: LoggedRequest): z.infer<typeof RequestFields> {
  const { tabId, mimeType, startedAt, durationMs, exchange: _exchange, ...rest } = request;
  return {
    ...rest,
    tab_id: tabId,
    mime_type: mimeType,
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
  };
}

export function browserWideRoutes(app: App, service: BrowserService, surface: Surface): void {
  const errors = browserErrors(surface);

  app.get('/browser/info', {
    schema: {
      tags,
      operationId: 'getBrowserInfo',
      summary: 'Describe the browser',
      response: { 200: envelopeOf(InfoFields), ...errors },
    },
    handler: async (request) => {
      const { userAgent, viewport, pageViewport } = await service.describe();
      const { cdp, vnc } = service.urls.of(publicCallerOf(request));
      const sizes = { viewport, page_viewport: pageViewport };
      return ok({ user_agent: userAgent, cdp_url: cdp, vnc_url: vnc, cdp_ui_url: null, ...sizes }, userAgent);
    },
  });

  app.post('/browser/config', {
    schema: {
      tags,
      operationId: 'configureBrowser',
      summary: 'Set the resolution',
      description: 'Of the display, else of the window.',
      body: ConfigBody,
      response: { 200: envelopeOf(ConfigFields), ...errors },
    },
    handler: async ({ body: { resolution } }) => {
      if (resolution) await service.resize(resolution);
      const { viewport, pageViewport } = await service.describe();
      const words = resolution ? `${resolution.width}x${resolution.height}` : 'nothing to change';
      return ok({ viewport, page_viewport: pageViewport }, words);
    },
  });

  app.post('/browser/cdp', {
    schema: {
      tags,
      operationId: 'callBrowser',
      summary: 'Call a method of the DevTools protocol',
      description: 'Domains that a call enables stay enabled for later calls of this route only.',
      body: CdpBody,
      response: { 200: envelopeOf(z.unknown()), ...errors },
    },
    handler: async ({ body: { method, params, tab_id, browser, timeout } }) => {
      const session = await service.rawSession(method, browser ? undefined : { tabId: tab_id });
      return answerOf(await rawCall(session, method, params, timeout * 1000), (data) => data);
    },
  });

  app.get('/browser/network/requests', {
    schema: {
      tags,
      operationId: 'listBrowserRequests',
      summary: 'Requests of the pages, oldest first',
      querystring: RequestQuery,
      response: { 200: envelopeOf(z.array(RequestFields)), ...errors },
    },
    handler: async ({ query: { limit, clear, filter, tab_id: tabId } }) => {
      await service.use();
      const found = service.requests.list({ filter, tabId, limit }).map(requestFields);
      if (clear) service.requests.clear();
      return ok(found, counted(found.length, 'request'));
    },
  });
}
