import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TestApp } from '../../../app.fixture.ts';
import { expect, test } from '../files.fixture.ts';

type Part = readonly [name: string, value: string | Blob, filename?: string];

/** A form as `fetch` encodes it, which is what a browser does. */
async function form(daemon: TestApp, url: string, parts: readonly Part[], query: Record<string, string> = {}) {
  const data = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, filename);
  }
  const response = new Response(data);
  const headers = { 'content-type': response.headers.get('content-type') ?? '' };
  return daemon.inject({ method: 'POST', url, query, headers, payload: Buffer.from(await response.arrayBuffer()) });
}

const FILE: Part = ['file', new Blob(['hello']), 'hostname'];

test('[manners.form-path] the path of the query is where the file goes', async ({ daemon, dir }) => {
  const path = join(dir, 'hn2');
  const answer = await form(daemon, '/v2/fs/upload', [FILE], { path });
  expect([answer.statusCode, answer.json().data.file_path]).toEqual([200, path]);
  expect(readFileSync(path, 'utf8')).toBe('hello');
  const encoded = Buffer.from(join(dir, 'hn3')).toString('base64');
  expect((await form(daemon, '/v2/fs/upload', [FILE], { path_b64: encoded })).statusCode).toBe(200);
  expect((await form(daemon, '/v2/fs/upload', [['path', path], FILE], { path })).statusCode).toBe(200);
  expect(readdirSync(dir).sort()).toEqual(['hn2', 'hn3']);
});

test('[manners.form-path] two paths that differ are 422, before and after the file', async ({ daemon, dir }) => {
  const path = join(dir, 'query');
  const other: Part = ['path', join(dir, 'form')];
  for (const parts of [
    [other, FILE],
    [FILE, other],
  ]) {
    const answer = await form(daemon, '/v2/fs/upload', parts, { path });
    expect([answer.statusCode, answer.json()]).toEqual([
      422,
      expect.objectContaining({
        message: 'query.path: differs from the path of the form',
        errors: [expect.objectContaining({ location: ['query', 'path'] })],
        hint: 'send the path once: as a field of the form or in the query',
      }),
    ]);
  }
  expect((await form(daemon, '/v2/fs/upload', [FILE], { path: '~no-such-account' })).json().data.error_type).toBe(
    'invalid_path',
  );
  expect(readdirSync(dir)).toEqual([]);
});

test.each([
  ['quote', 'a"b'],
  ['line feed', 'a\nb'],
  ['carriage return and line feed', 'a\r\nb'],
  ['percent signs', '100%.txt'],
  ['an encoded slash', 'a%2Fb'],
])('[manners.form-names] a file name with %s keeps it', async (_what, characters) => {
  // The name is of this process, since the directory is shared.

  await using daemon = await TestApp.start();
  const name = `manners-${process.pid}-${characters}`;
  for (const url of ['/v2/fs/upload', '/v1/file/upload']) {
    const answer = await form(daemon, url, [['file', new Blob(['x']), name]]);
    expect([answer.statusCode, answer.json().data.file_path]).toEqual([200, `/tmp/${name}`]);
    expect(readFileSync(`/tmp/${name}`, 'utf8')).toBe('x');
    rmSync(`/tmp/${name}`);
  }
});

test.each([
  [['pth', '/x'], 'did you mean path?'],
  [['user', 'root'], 'here; it goes into the query'],
  [['upload', new Blob(['x']), 'x'], 'did you mean file?'],
  [['zebra', '1'], 'the fields are file, path, path_b64'],
] as const)('[manners.unknown-part] a form with the part %j is 422 and leaves nothing', async (part, said) => {
  await using daemon = await TestApp.start();
  const path = join(daemon.directory, 'f');
  for (const parts of [
    [part, FILE],
    [FILE, part],
  ]) {
    const answer = await form(daemon, '/v2/fs/upload', parts, { path });
    const message = expect.stringContaining(`unknown field ${part[0]}`);
    expect([answer.statusCode, answer.json().errors]).toEqual([
      422,
      [{ location: ['body', part[0]], message, type: 'unrecognized_keys' }],
    ]);
    expect(answer.json().message).toContain(said);
  }
  expect(readdirSync(daemon.directory)).not.toContain('f');
  const old = await form(daemon, '/v1/file/upload', [part, ['path', path], FILE]);
  expect([old.statusCode, old.json().success]).toEqual([200, true]);
});

test('[manners.unknown-part] parts for others are read over, and all with SVC_STRICT=false', async ({ dir }) => {
  const path = join(dir, 'f');
  const others: Part[] = ['x-note', '_csrf', 'utm_source', 'api_key', 'ticket'].map((name) => [name, 'a']);
  await using daemon = await TestApp.start();
  expect((await form(daemon, '/v2/fs/upload', [...others, FILE], { path })).statusCode).toBe(200);
  await using lenient = await TestApp.start({ strict: false });
  expect((await form(lenient, '/v2/fs/upload', [['pth', 'a'], FILE], { path })).statusCode).toBe(200);
});

test('[manners.two-places] a form with two paths that differ is 422', async ({ daemon, dir }) => {
  const path: Part = ['path', join(dir, 'a')];
  const answer = await form(daemon, '/v2/fs/upload', [path, FILE, ['path', join(dir, 'b')]]);
  expect([answer.statusCode, answer.json().errors[0].location]).toEqual([422, ['body', 'path']]);
  expect(readdirSync(dir)).toEqual([]);
  expect((await form(daemon, '/v2/fs/upload', [path, FILE, path])).statusCode).toBe(200);
});
