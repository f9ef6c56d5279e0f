import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { Text } from '../../../http/fields.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import type { BrowserService } from '../browser-service.ts';
import type { TabInfo } from '../tabs/tab-list.ts';
import { browserErrors, type Surface, tags } from './surface.ts';

const TabFields = z
  .object({
    id: z.string(),
    tab_id: z.string().meta({ description: 'The same as id.' }),
    url: z.string(),
    title: z.string(),
    active: z.boolean().meta({ description: 'The tab that was shown last.' }),
    crashed: z.boolean(),
    dialog: z
      .object({ type: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']), message: z.string() })
      .nullable()
      .meta({ description: 'A dialog that waits for an answer.' }),
  })
  .meta({ id: 'BrowserTab' });

const OpenBody = z
  .object({ url: Text.optional().meta({ description: 'Absent: an empty tab.' }) })
  .meta({ id: 'OpenBrowserTab', example: { url: 'about:blank' } });
const TabParams = z.object({ tab_id: z.string().meta({ examples: ['C4E1B7A09F3D4E2C8A6B5D7F10293847'] }) });

function tabFields({ id, url, title, active, crashed, dialog }: TabInfo): z.infer<typeof TabFields> {
  return { id, tab_id: id, url, title, active, crashed, dialog: dialog ?? null };
}

export function tabRoutes(app: App, service: BrowserService, surface: Surface): void {
  const errors = browserErrors(surface);

  app.get('/browser/tabs', {
    schema: {
      tags,
      operationId: 'listTabs',
      summary: 'List the tabs',
      response: { 200: envelopeOf(z.array(TabFields)), ...errors },
    },
    handler: async () => {
      const { tabs } = await service.use();
      const all = await tabs.list();
      return ok(all.map(tabFields), counted(all.length, 'tab'));
    },
  });

  app.post('/browser/tabs', {
    links: linksTo({ tab_id: '/data/id' }, ['activateTab', 'closeTab']),
    schema: {
      tags,
      operationId: 'openTab',
      summary: 'Open a tab',
      description: 'It answers when the tab is there; its page may still load, which POST browser/wait waits for.',
      body: OpenBody,
      response: { 200: envelopeOf(TabFields), ...errors },
    },
    handler: async ({ body: { url } }) => {
      const { tabs } = await service.useToAct();
      const { id } = await tabs.open(url);
      return ok(tabFields(await tabs.shown(id, url)), `opened tab ${id}`);
    },
  });

  app.post('/browser/tabs/:tab_id/activate', {
    schema: {
      tags,
      operationId: 'activateTab',
      summary: 'Show a tab',
      params: TabParams,
      response: { 200: envelopeOf(TabFields), ...errors },
    },
    handler: async ({ params: { tab_id } }) => {
      const { tabs } = await service.use();
      await tabs.activate(tab_id);
      return ok(tabFields(await tabs.shown(tab_id)), `tab ${tab_id} is shown`);
    },
  });

  app.delete('/browser/tabs/:tab_id', {
    schema: {
      tags,
      operationId: 'closeTab',
      summary: 'Close a tab',
      params: TabParams,
      response: { 200: envelopeOf(z.object({ id: z.string(), tab_id: z.string() })), ...errors },
    },
    handler: async ({ params: { tab_id } }) => {
      const { tabs } = await service.use();
      await tabs.close(tab_id);
      return ok({ id: tab_id, tab_id }, `closed tab ${tab_id}`);
    },
  });
}
