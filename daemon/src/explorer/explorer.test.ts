import { expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';

const KEY = 'sesame-street-42';

test.each([
  ['/docs', 'Sandbox API v2', '/v2/openapi.json'],
  ['/v1/docs', 'Sandbox API v1', '/v1/openapi.json'],
])('[explorer.pages] %s is the explorer of %s', async (path, title, document) => {
  await using daemon = await TestApp.start({ apiKey: KEY });
  expect((await daemon.inject(path)).statusCode).toBe(401);
  const headers = { 'x-api-key': KEY };
  const page = await daemon.inject({ url: path, headers });
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body).toContain(`<title>${title}</title>`);
  const urlOf = (relative: string) => new URL(relative, `http://h${path}`).pathname;
  expect(urlOf(/data-document="([^"]+)"/.exec(page.body)?.[1] ?? '')).toBe(document);
  expect(urlOf(/data-root="([^"]+)"/.exec(page.body)?.[1] ?? '')).toBe('/');
});

test.each(['/docs', '/v1/docs'])(
  '[explorer.offline] %s refers to files of its own alone, each of which is there',
  async (path) => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const headers = { 'x-api-key': KEY };
    const page = await daemon.inject({ url: path, headers });
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
    expect(page.body).not.toMatch(/https?:|\bon\w+=|<script>|<style/);
    const urls = Array.from(page.body.matchAll(/(?:src|href)="(docs\/[^"]+)"/g), ([, url = '']) => url);
    expect(urls).toHaveLength(4);
    for (const relative of urls) {
      const url = new URL(relative, `http://h${path}`).pathname;
      expect([url, (await daemon.inject(url)).statusCode]).toEqual([url, 401]);
      const file = await daemon.inject({ url, headers });
      expect([url, file.statusCode]).toEqual([url, 200]);
      expect(file.headers['content-type']).toMatch(/^text\/(?:css|javascript); charset=utf-8$/);
      expect(file.headers['x-content-type-options']).toBe('nosniff');
      const etag = String(file.headers['etag']);
      const again = await daemon.inject({ url, headers: { ...headers, 'if-none-match': etag } });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
  },
);

test.each(['package.json', '..%2fpackage.json', 'swagger-ui.js', '__proto__'])(
  '[explorer.pages] %s is no file of the explorer',
  async (name) => {
    await using daemon = await TestApp.start();
    expect((await daemon.inject(`/docs/${name}`)).statusCode).toBe(404);
  },
);
