import { expect, test } from 'vitest';
import { z } from 'zod';
import { TestApp } from '../../app.fixture.ts';
import { unknownFields } from '../../core/unknown/known-fields.ts';

test.each([
  [{ command: 'true', timeot: 1 }, 'timeot', 'did you mean timeout?'],
  [{ command: 'true', workdir: '/tmp' }, 'workdir', 'did you mean cwd?'],
  [{ cmd: 'true' }, 'cmd', 'did you mean command?'],
  [{ command: 'true', timeot: null }, 'timeot', 'did you mean timeout?'],
  [{ command: 'true', hardTimeout: 1 }, 'hardTimeout', 'did you mean hard_timeout?'],
  [{ command: 'true', zebra: 1 }, 'zebra', 'the fields are command, args, shell'],
])('[manners.unknown-field] %j names %s, and what it may mean', async (body, name, said) => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post('/v2/commands', body);
  expect(answer.statusCode).toBe(422);
  expect(answer.json().message).toContain(`unknown field ${name}; ${said}`);
  expect(answer.json().errors[0]).toMatchObject({ location: ['body', name], type: 'unrecognized_keys' });
  expect((await daemon.inject('/v2/commands')).json().data.commands).toEqual([]);
});

test.each([
  ['GET', '/v2/commands?limt=3', {}, ['query', 'limt'], 'did you mean limit?'],
  ['GET', '/v2/sandbox?verbose=true', {}, ['query', 'verbose'], 'this call has no field in its query'],
  ['POST', '/v2/commands?timeout=3', { command: 'true' }, ['query', 'timeout'], 'it goes into the body'],
  ['POST', '/v2/fs/write', [{ pth: '/x' }], ['body'], 'expected an object'],
] as const)('[manners.unknown-field] %s %s %j is 422 at %j', async (method, url, payload, location, said) => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject({ method, url, payload });
  expect([answer.statusCode, answer.json().errors?.[0].location]).toEqual([422, location]);
  expect(answer.json().message).toContain(said);
});

test('[manners.unknown-field] a known field that is null is left out', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post('/v2/commands', { command: 'echo hi', timeout: null, cwd: null, _other: null });
  expect([answer.statusCode, answer.json().data.stdout]).toEqual([200, 'hi\n']);
});

test('[manners.foreign-field] fields of others and of credentials are not unknown', async () => {
  await using daemon = await TestApp.start({ apiKey: 'k' });
  const query = 'api_key=k&utm_source=a&_=1&x-trace=b';
  const answer = await daemon.post(`/v2/commands?${query}`, { command: 'echo hi', _meta: 1, 'x-note': 2, utm_id: 3 });
  expect([answer.statusCode, answer.json().data.stdout]).toEqual([200, 'hi\n']);
  const nested = await daemon.post('/v2/commands?api_key=k', { command: 'true', api_key: 'k' });
  expect(nested.statusCode).toBe(422);
});

test('[manners.unknown-field] without the key an unknown field is 401', async () => {
  await using daemon = await TestApp.start({ apiKey: 'k' });
  expect((await daemon.post('/v2/commands', { cmd: 'x' })).statusCode).toBe(401);
});

test.each(['/v1', '/v2'])('[manners.shared-routes] %s/browser serves the call and names the field', async (prefix) => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post(`${prefix}/browser/navigate`, { url: 'about:blank', tab: 'x' });
  expect(answer.statusCode).not.toBe(422);
  expect(answer.json().hint).toContain('unknown field tab; did you mean tab_id?');
  expect((await daemon.inject(`${prefix}/browser/tabs?api_key=x&_=1`)).json().hint).not.toContain('unknown');
});

test('members at any depth are compared with what a value of its place may have', () => {
  const schema = z.object({
    list: z.array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), x: z.number() }),
        z.object({ kind: z.literal('b'), y: z.number() }),
      ]),
    ),
    map: z.record(z.string(), z.string()),
    maybe: z.object({ deep: z.string().optional() }).nullish().default({}),
    any: z.unknown(),
  });
  const value = {
    list: [
      { kind: 'a', x: 1 },
      { kind: 'b', z: 1 },
    ],
    map: { free: '' },
    maybe: { dep: '' },
    any: { v: {} },
    more: 1,
  };
  expect(unknownFields(schema, value, 10).map(({ path }) => path)).toEqual([
    ['list', 1, 'z'],
    ['maybe', 'dep'],
    ['more'],
  ]);
  expect(
    unknownFields(schema, Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, 1])), 3),
  ).toHaveLength(3);
});
