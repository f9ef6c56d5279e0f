import { expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';
import { GUIDE_MAX_BYTES, guideText, type SurfaceDocument } from './guide.ts';

const KEY = 'sesame-street-42';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

test('[guide.routes] the guide has a line for each route of v2 and each built-in tool, with its fields', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject('/v2/guide');
  expect(answer.headers['content-type']).toBe('text/markdown; charset=utf-8');
  const document = (await daemon.inject('/v2/openapi.json')).json();
  const routes = Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => METHODS.includes(method))
      .map((method) => `\n- ${method.toUpperCase()} ${path.replaceAll(/\{[a-z]+_id\}/g, '{id}')}`),
  );
  expect(routes.length).toBeGreaterThan(70);
  expect(routes.filter((route) => !answer.body.includes(route))).toEqual([]);
  const { tools } = (await daemon.post('/mcp?tools=core', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).json()
    .result;
  expect(tools).toHaveLength(10);
  for (const { name } of tools) expect(answer.body).toContain(`\n- ${name} {`);
  expect(answer.body).toMatch(
    /- POST \/v2\/commands \{command\*, args\[\], .*mode sync\|async=sync, timeout#=30, .*\} → command_id, .*exit_code, .*: Run a command\n/,
  );
  expect(answer.body).toMatch(/- sandbox_execute_bash \{cmd\*, cwd, /);
  expect(answer.body).toMatch(
    /\{action_type\* TYPING, [^}]*text\*[^}]*\} \| \{action_type\* PRESS\|KEY_DOWN\|KEY_UP, /,
  );
});

test('[guide.size] all detail fits today', async () => {
  await using daemon = await TestApp.start();
  const { body } = await daemon.inject('/v2/guide');
  expect(Buffer.byteLength(body)).toBeLessThan(GUIDE_MAX_BYTES);
  expect(body).toMatch(/\/poll .* → events, cursor, overflow: /);
});

test.each(['stream=true', 'Accept: application/x-ndjson', 'a `session` keeps', '`~user`', '`snapshot` again'])(
  '[guide.ways] the guide has what agents need most: %s',
  async (text) => {
    await using daemon = await TestApp.start();
    expect((await daemon.inject('/v2/guide')).body).toContain(text);
  },
);

test('[guide.size] with more routes than fit, the fields of answers are left out from the last group on', () => {
  const short = guideText(documentOf(20, 'early', 'late'), []);
  expect(short).toMatch(/- GET \/early\/0 → early0_0, /);
  expect(short).toMatch(/- GET \/late\/0 → late0_0, /);
  const long = guideText(documentOf(50, 'early', 'late'), []);
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(GUIDE_MAX_BYTES);
  expect(long).toMatch(/- GET \/early\/49 → early49_0, /);
  expect(long).toMatch(/- GET \/late\/49: read it/);
});

test('[guide.key] [openapi.root] guide, index and the document at the root need the key', async () => {
  await using daemon = await TestApp.start({ apiKey: KEY });
  for (const url of ['/v2/guide', '/llms.txt', '/openapi.json']) {
    expect([url, (await daemon.inject(url)).statusCode]).toEqual([url, 401]);
    expect([url, (await daemon.inject({ url, headers: { 'x-api-key': KEY } })).statusCode]).toEqual([url, 200]);
  }
  const root = await daemon.inject({ url: '/openapi.json', headers: { 'x-api-key': KEY } });
  expect(root.json()).toEqual((await daemon.inject('/v2/openapi.json')).json());
});

test('[llms.index] each link of /llms.txt is relative and served', async () => {
  await using daemon = await TestApp.start();
  const { body, headers } = await daemon.inject('/llms.txt');
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(body).toMatch(/^# .+\n\n> .+\n\n## /);
  const links = Array.from(body.matchAll(/\]\(([^)]+)\)/g), ([, link = '']) => link);
  expect(links).toContain('v2/guide');
  for (const link of links) {
    expect(link).toMatch(/^[a-z]/);
    const { statusCode } = await daemon.inject(`/${link}`);
    // /v2/sandbox asks the interpreters, which a busy machine may not answer in time.
    expect([link, link === 'mcp' ? [405] : [200, 503]]).toEqual([link, expect.arrayContaining([statusCode])]);
  }
});

/** Two groups of routes, each with an answer of 20 fields of its own. */
function documentOf(count: number, ...tags: string[]): SurfaceDocument {
  const routes = tags.flatMap((tag) => Array.from({ length: count }, (_, n) => [`/${tag}/${n}`, readIt(tag, n)]));
  return { paths: Object.fromEntries(routes) };
}

function readIt(tag: string, route: number) {
  const names = Array.from({ length: 20 }, (_, n) => `${tag}${route}_${n}`);
  const data = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
  const schema = { properties: { data } };
  return {
    get: { tags: [tag], summary: 'read it', responses: { 200: { content: { 'application/json': { schema } } } } },
  };
}
