import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { bytesType } from '../../../http/answers/bytes-type.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import type { BrowserService } from '../browser-service.ts';
import { type Cookie, type NewCookie, setCookies } from '../cookies/cookies.ts';
import { harOf } from '../network/har.ts';
import { PAPER_NAMES, printPage } from '../page/print.ts';
import { readStorage, writeStorage } from '../storage/storage.ts';
import { browserErrors, Flag, type Surface, TabId, tags } from './surface.ts';

const PdfQuery = z.object({
  paper: z.enum(PAPER_NAMES).default('a4'),
  landscape: Flag.optional(),
  background: Flag.optional().meta({ description: 'Colours and pictures behind the text; default true.' }),
  scale: queryNumber(z.number().min(0.1).max(2)).prefault(1),
  pages: z.string().min(1).max(200).optional().meta({ description: 'Such as 1-3, 5; absent: all.' }),
  margin: queryNumber(z.number().min(0).max(4)).prefault(0.4).meta({ description: 'Inches.' }),
  timeout: queryNumber(z.number().min(0).max(600)).prefault(30).meta({ description: 'Seconds.' }),
  tab_id: TabId,
});

const Site = z.enum(['Strict', 'Lax', 'None']);
const StateCookie = z.object({
  name: z.string().min(1),
  value: z.string(),
  domain: z.string(),
  path: z.string().default('/'),
  expires: z.number().default(-1),
  httpOnly: z.boolean().default(false),
  secure: z.boolean().default(false),
  sameSite: Site.default('Lax'),
});
const StateOrigin = z.object({
  origin: z.string().max(2048),
  localStorage: z.array(z.object({ name: z.string(), value: z.string() })).max(100_000),
});
const StateBody = z
  .object({ cookies: z.array(StateCookie).max(5000).default([]), origins: z.array(StateOrigin).max(100).default([]) })
  .meta({ id: 'FillBrowserStorage', example: { cookies: [], origins: [] } });
const StateFields = z
  .object({ cookies: z.array(StateCookie), origins: z.array(StateOrigin) })
  .meta({ id: 'BrowserStorage' });

const HarQuery = z.object({
  limit: queryNumber(z.int().min(0).max(5000)).prefault(5000).meta({ description: 'The newest requests.' }),
  filter: z.string().min(1).optional().meta({ description: 'Part of the URL.' }),
  tab_id: TabId,
});
const Har = z
  .object({ log: z.looseObject({ version: z.literal('1.2'), entries: z.array(z.looseObject({})) }) })
  .meta({ id: 'BrowserHar' });

function stateCookie(cookie: Cookie): z.infer<typeof StateCookie> {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite = 'Lax' } = cookie;
  return { name, value, domain, path, expires, httpOnly, secure, sameSite };
}

function newCookie({ expires, ...cookie }: z.infer<typeof StateCookie>): NewCookie {
  return { ...cookie, ...(expires >= 0 && { expires }) };
}

export function recordRoutes(app: App, service: BrowserService, surface: Surface): void {
  const errors = browserErrors(surface);

  app.get('/browser/pdf', {
    schema: {
      tags,
      operationId: 'printPage',
      summary: 'Print the page as PDF',
      querystring: PdfQuery,
      produces: ['application/pdf', 'application/octet-stream'],
      response: { 200: RawAnswer, ...errors },
    },
    handler: async ({ query, headers }, reply) => {
      const { tab_id, timeout, landscape = false, background = true, paper, scale, pages, margin } = query;
      const tab = await service.tab(tab_id, timeout * 1000);
      const terms = { paper, landscape, background, scale, pages, margin, timeoutMs: timeout * 1000 };
      const pdf = await printPage(tab, terms);
      const type = bytesType(headers.accept, 'application/pdf');
      return reply.headers({ 'content-type': type, 'cache-control': 'no-store' }).send(pdf);
    },
  });

  app.get('/browser/storage', {
    schema: {
      tags,
      operationId: 'readStorage',
      summary: 'Cookies and local storage, in the format of Playwright',
      description: 'Local storage of the origins that open pages and their frames have.',
      response: { 200: envelopeOf(StateFields), ...errors },
    },
    handler: async () => {
      const { cookies, origins } = await readStorage(await service.use());
      const data = {
        cookies: cookies.map(stateCookie),
        origins: origins.map(({ origin, localStorage }) => ({ origin, localStorage: [...localStorage] })),
      };
      return ok(data, `${counted(cookies.length, 'cookie')}, ${counted(origins.length, 'origin')}`);
    },
  });

  app.post('/browser/storage', {
    schema: {
      tags,
      operationId: 'fillStorage',
      summary: 'Add cookies and local storage',
      description: 'Nothing is requested from the origins.',
      body: StateBody,
      response: { 200: envelopeOf(z.object({ cookies: z.int(), origins: z.int() })), ...errors },
    },
    handler: async ({ body: { cookies, origins } }) => {
      const live = await service.use();
      await setCookies(live.session, cookies.map(newCookie));
      await writeStorage(live, origins);
      const data = { cookies: cookies.length, origins: origins.length };
      return ok(data, `added ${counted(data.cookies, 'cookie')} and the items of ${counted(data.origins, 'origin')}`);
    },
  });

  app.get('/browser/network/har', {
    schema: {
      tags,
      operationId: 'getHar',
      summary: 'Requests of the pages as HAR 1.2',
      description: 'The document itself, without an envelope, and without bodies of requests and answers.',
      querystring: HarQuery,
      response: { 200: Har, ...errors },
    },
    handler: async ({ query: { limit, filter, tab_id: tabId } }) => {
      await service.use();
      return harOf(service.requests.list({ filter, tabId, limit })) as z.infer<typeof Har>;
    },
  });
}
