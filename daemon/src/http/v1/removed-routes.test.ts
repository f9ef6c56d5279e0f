import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../../scripts/root.ts';
import { TestApp } from '../../app.fixture.ts';

/** docs/contract.md §12, removed routes. */
const REMOVED = [
  '/v1/skills/list',
  '/v1/skills/register',
  '/v1/sandbox/hooks',
  '/v1/util/convert_to_markdown',
  '/v1/sandbox/observe/start',
  '/v1/sandbox/observe/events',
  '/v1/browser/captcha/solve',
  '/v1/browser/state/save',
  '/v1/browser/restart',
  '/v1/browser/proxy.pac',
  '/v1/browser/network/route',
  '/v1/browser/network/headers',
  '/v1/browser/network/scoped_headers',
  '/v1/browser/network/export_har',
  '/v1/mcp/servers',
  '/v1/mcp/browser/tools',
  '/v1/browser/page/navigate',
  '/v1/browser/page/click',
  '/tickets',
  '/auth',
] as const;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

test.each(REMOVED)(
  '[status.removed-route-404] [status.removed-any-method-404] %s is 404 for every method',
  async (url) => {
    await using daemon = await TestApp.start();
    for (const method of METHODS) {
      const answer = await daemon.inject({ method, url });
      expect([method, answer.statusCode]).toEqual([method, 404]);
      expect(answer.json()).toMatchObject({ success: false, data: null });
    }
  },
);

test('[status.removed-any-method-404] PATCH of a Node session is 404', async () => {
  await using daemon = await TestApp.start();
  expect((await daemon.inject({ method: 'PATCH', url: '/v1/nodejs/sessions/x', payload: {} })).statusCode).toBe(404);
});

/** Whether the document lists a route of the OpenAPI document as gone. */
function goneInDocument(): (path: string) => boolean {
  const text = readFileSync(join(ROOT, 'docs/compatibility.md'), 'utf8').split('\n## Gone\n')[1] ?? '';
  // Replacements are in parentheses, and a method that is gone alone is before its path.
  const section = (text.split('\n## ')[0] ?? '').replace(/\([^)]*\)/g, '').replaceAll('`PATCH ', '`method ');
  const entries = [...section.matchAll(/`(?:[A-Z]+ )?(\/[^`*]*)(\*?)`(?:\sexcept\s`(\w+)`(?:\sand\s`(\w+)`)?)?/g)];
  return (path) =>
    entries.some(([, begin = '', rest, ...except]) => {
      if (rest === '') return path === begin;
      return path.startsWith(begin) && !except.includes(path.slice(begin.length));
    });
}

test('[status.removed-route-404] the document of 1.x lists the routes that are gone, and none that is served', async () => {
  await using daemon = await TestApp.start();
  const { paths } = (await daemon.inject('/v1/openapi.json')).json() as { paths: object };
  const isGone = goneInDocument();
  expect(Object.keys(paths).filter(isGone)).toEqual([]);
  expect(REMOVED.filter((path) => !isGone(path.replace('/mcp/browser/', '/mcp/{server}/')))).toEqual([]);
});
