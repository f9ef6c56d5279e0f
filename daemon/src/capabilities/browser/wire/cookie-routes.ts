import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import type { BrowserService } from '../browser-service.ts';
import {
  type Cookie,
  type CookieFilter,
  findCookies,
  type NewCookie,
  removeCookies,
  setCookies,
} from '../cookies/cookies.ts';
import { browserErrors, Flag, type Surface, tags } from './surface.ts';

const SAME_SITES = ['Strict', 'Lax', 'None'] as const;

const CookieQuery = z.object({
  urls: z.string().min(1).optional().meta({ description: 'Addresses, separated by commas; absent: all cookies.' }),
  url: z.string().min(1).optional(),
  domain: z.string().min(1).optional().meta({ description: 'The domain with those below it.' }),
  name: z.string().min(1).optional(),
});

const RemoveBody = z
  .object({
    urls: z.union([z.string().min(1), z.array(z.string()).max(1000)]).optional(),
    url: z.string().min(1).optional(),
    domain: z.string().min(1).optional(),
    name: z.string().min(1).optional(),
    all: z.boolean().optional().meta({ description: 'All cookies; so without any field.' }),
  })
  .meta({ example: { name: 'theme', url: 'http://127.0.0.1/' } });

const RemoveQuery = CookieQuery.extend({ all: Flag.optional() });

const NewCookieFields = z
  .looseObject({
    name: z.string().min(1),
    value: z.string(),
    url: z.string().optional(),
    domain: z.string().optional(),
    path: z.string().optional(),
    secure: z.boolean().nullish(),
    httpOnly: z.boolean().nullish(),
    http_only: z.boolean().nullish(),
    sameSite: z.string().nullish(),
    same_site: z.string().nullish(),
    expires: z.number().nullish().meta({ description: 'Seconds since 1970; absent or -1: a cookie of the session.' }),
  })
  .meta({ id: 'NewBrowserCookie' });

const SetBody = z.object({ cookies: z.array(NewCookieFields).max(5000) }).meta({
  id: 'SetBrowserCookies',
  example: { cookies: [{ name: 'theme', value: 'dark', url: 'http://127.0.0.1/' }] },
});

const CookieFields = z
  .object({
    name: z.string(),
    value: z.string(),
    domain: z.string(),
    path: z.string(),
    expires: z.number().meta({ description: 'Seconds since 1970; -1: a cookie of the session.' }),
    size: z.int(),
    httpOnly: z.boolean(),
    secure: z.boolean(),
    session: z.boolean(),
    sameSite: z.string().nullable(),
  })
  .meta({ id: 'BrowserCookie' });

function cookieFields(cookie: Cookie): z.infer<typeof CookieFields> {
  const { name, value, domain, path, expires, size, httpOnly, secure, session, sameSite = null } = cookie;
  return { name, value, domain, path, expires, size, httpOnly, secure, session, sameSite };
}

/** Names as in the browser's protocol; those of this API are taken too. */
function newCookie(given: z.infer<typeof NewCookieFields>): NewCookie {
  const { name, value, url, domain, path, expires } = given;
  const secure = given.secure ?? undefined;
  const httpOnly = given.httpOnly ?? given.http_only ?? undefined;
  const site = (given.sameSite ?? given.same_site)?.toLowerCase();
  const sameSite = SAME_SITES.find((known) => known.toLowerCase() === site);
  return {
    name,
    value,
    ...(url !== undefined && { url }),
    ...(domain !== undefined && { domain }),
    ...(path !== undefined && { path }),
    ...(secure !== undefined && { secure }),
    ...(httpOnly !== undefined && { httpOnly }),
    ...(sameSite !== undefined && { sameSite }),
    ...(typeof expires === 'number' && expires >= 0 && { expires }),
  };
}

function filterOf({ urls, url, domain, name }: z.infer<typeof RemoveBody>): CookieFilter {
  const given = typeof urls === 'string' ? urls.split(',') : (urls ?? []);
  const all = [...given, ...(url === undefined ? [] : [url])].map((text) => text.trim()).filter((text) => text !== '');
  return { urls: all, domain, name };
}

export function cookieRoutes(app: App, service: BrowserService, surface: Surface): void {
  const errors = browserErrors(surface);
  const response = { 200: envelopeOf(z.array(CookieFields)), ...errors };

  app.get('/browser/cookies', {
    schema: { tags, operationId: 'listCookies', summary: 'List cookies', querystring: CookieQuery, response },
    handler: async ({ query }) => {
      const { session } = await service.use();
      const found = await findCookies(session, filterOf(query));
      return ok(found.map(cookieFields), counted(found.length, 'cookie'));
    },
  });

  app.post('/browser/cookies', {
    schema: { tags, operationId: 'setCookies', summary: 'Set cookies', body: SetBody, response },
    handler: async ({ body: { cookies } }) => {
      const { session } = await service.use();
      await setCookies(session, cookies.map(newCookie), await service.shownUrl(cookies));
      const names = new Set(cookies.map(({ name }) => name));
      const all = await findCookies(session, {});
      return ok(
        all.filter(({ name }) => names.has(name)).map(cookieFields),
        `set ${counted(cookies.length, 'cookie')}`,
      );
    },
  });

  app.delete('/browser/cookies', {
    schema: {
      tags,
      operationId: 'deleteCookies',
      summary: 'Delete cookies; without a field all',
      querystring: RemoveQuery,
      body: RemoveBody,
      response,
    },
    handler: async ({ query: { all, ...query }, body }) => {
      const { session } = await service.use();
      const isAll = body.all === true || all === true;
      const removed = await removeCookies(session, isAll ? {} : filterOf({ ...query, ...body }));
      return ok(removed.map(cookieFields), `deleted ${counted(removed.length, 'cookie')}`);
    },
  });
}
