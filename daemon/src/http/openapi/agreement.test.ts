import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { type DescribedRequest, DocumentUnderTest } from './document.fixture.ts';

const NO_SIGNAL = 4711;
const path = '/tmp';

/** Requests, and whether their values are of the kind that the route accepts. */
const REQUESTS: readonly (readonly [title: string, route: string, request: DescribedRequest, accepted: boolean])[] = [
  ['a boolean of a query', 'get /v2/fs/stat', { query: { path, follow_symlinks: true } }, true],
  ['a text as a boolean of a query', 'get /v2/fs/stat', { query: { path, follow_symlinks: 'perhaps' } }, false],
  ['a path', 'get /v2/fs/list', { query: { path } }, true],
  ['no path', 'get /v2/fs/list', {}, false],
  ['an empty path', 'get /v2/fs/list', { query: { path: '' } }, false],
  ['a relative path', 'get /v2/fs/list', { query: { path: 'no/such' } }, true],
  ['a path of a body', 'post /v2/fs/grep', { body: { path, pattern: 'a' } }, true],
  ['a path as bytes', 'post /v2/fs/grep', { body: { path, path_b64: 'L3RtcA==', pattern: 'a' } }, true],
  ['no path of a body', 'post /v2/fs/grep', { body: { pattern: 'a' } }, false],
  ['an empty path of a body', 'post /v2/fs/grep', { body: { path: '', pattern: 'a' } }, false],
  ['null beside a path', 'post /v2/fs/grep', { body: { path, path_b64: null, pattern: 'a' } }, true],
  ['null for the only path', 'post /v2/fs/grep', { body: { path: null, pattern: 'a' } }, false],
  ['null in an action', 'post /v2/browser/actions', { body: { action_type: 'MOUSE_UP', button: null } }, true],
  ['a size with a unit', 'post /v2/fs/grep', { body: { path, pattern: 'a', max_file_size: '1M' } }, true],
  ['a size that is none', 'post /v2/fs/grep', { body: { path, pattern: 'a', max_file_size: 'all' } }, false],
  ['a ticket for a prefix', 'post /v2/tickets', { body: { path_prefix: '/vnc', target: null } }, true],
  ['a ticket for nothing', 'post /v2/tickets', { body: {} }, false],
  ['a ticket for a prefix and a target', 'post /v2/tickets', { body: { path_prefix: '/a', target: '/a' } }, false],
  ['no destination', 'post /v2/fs/copy', { body: { source: '/tmp/a' } }, false],
  ['a command', 'post /v2/commands', { body: { command: 'true', cwd: path, env: { A: 'b' } } }, true],
  ['null for a field', 'post /v2/commands', { body: { command: 'true', cwd: null, mode: null } }, true],
  ['null for a variable', 'post /v2/commands', { body: { command: 'true', env: { A: null } } }, true],
  ['null for a required field', 'post /v2/commands', { body: { command: null } }, false],
  ['an empty cwd', 'post /v2/commands', { body: { command: 'true', cwd: '' } }, false],
  ['an empty name of a variable', 'post /v2/commands', { body: { command: 'true', env: { '': 'a' } } }, false],
  ['a variable with =', 'post /v2/commands', { body: { command: 'true', env: { 'a=b': 'a' } } }, false],
  ['an empty user', 'post /v2/commands', { body: { command: 'true', user: '' } }, false],
  ['NUL in an argument', 'post /v2/commands', { body: { command: 'a', shell: 'none', args: ['\0'] } }, false],
  ['a relative shell', 'post /v2/commands', { body: { command: 'true', shell: 'zsh' } }, false],
  ['no body where a field is required', 'post /v2/commands', {}, false],
  ['an empty user of a file', 'post /v2/fs/mkdir', { query: { user: '' }, body: { path: '/tmp/a' } }, false],
];

test.each(REQUESTS)('the schema and the service agree on %s', async (_title, route, request, accepted) => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, 'v2');
  expect([document.admits(route, request), await answers(daemon, route, request)]).toEqual([accepted, accepted]);
});

const SIGNALS: readonly (readonly [unknown, boolean])[] = [
  ['SIGTERM', true],
  ['TERM', true],
  [15, true],
  ['15', true],
  ['99', false],
  ['SIGNONE', false],
  [NO_SIGNAL, false],
  [-1, false],
];

test.each(SIGNALS)('the schema and the service agree on signal %j', async (signal, accepted) => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, 'v2');
  for (const route of ['post /v2/commands/{command_id}/kill', 'post /v2/pty/sessions/{id}/signal']) {
    const { statusCode } = await send(daemon, route, { body: { signal } });
    expect([document.admits(route, { body: { signal } }), statusCode]).toEqual([accepted, accepted ? 404 : 422]);
  }
});

test('a form without its part `file` is refused, and the schema requires the part', async () => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, 'v2');
  const operation = document.operation('post /v2/fs/upload');
  expect(operation.requestBody?.content['multipart/form-data']?.schema?.required).toEqual(['file']);
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const payload = '--x\r\ncontent-disposition: form-data; name="path"\r\n\r\n/tmp/a\r\n--x--\r\n';
  expect((await daemon.inject({ method: 'POST', url: '/v2/fs/upload', headers, payload })).statusCode).toBe(422);
});

test('a directory with a default may be absent, in bodies and in queries, and other paths may not', async () => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, 'v2');
  const bodyOf = (route: string) => {
    const { required, content } = document.operation(route).requestBody ?? { content: {} };
    return { isRequired: required, fields: content['application/json']?.schema?.required ?? [] };
  };
  expect(bodyOf('post /v2/checkpoints')).toEqual({ isRequired: false, fields: [] });
  const queryOf = (route: string) => document.operation(route).parameters?.find(({ name }) => name === 'path');
  expect(queryOf('get /v2/checkpoints')).toMatchObject({ required: false });
  expect(queryOf('get /v2/fs/list')).toMatchObject({ required: true });
  expect(JSON.stringify(queryOf('get /v2/checkpoints'))).not.toContain('absent');
});

async function answers(daemon: TestApp, route: string, request: DescribedRequest): Promise<boolean> {
  const { statusCode } = await send(daemon, route, request);
  return statusCode !== 400 && statusCode !== 422;
}

function send(daemon: TestApp, route: string, { query = {}, body }: DescribedRequest) {
  const [method = '', url = ''] = route.split(' ');
  const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return daemon.app.inject({
    method: method === 'get' ? 'GET' : 'POST',
    url: url.replaceAll(/\{\w+\}/g, 'none'),
    query: texts,
    ...(body !== undefined && { payload: body as object }),
  });
}
