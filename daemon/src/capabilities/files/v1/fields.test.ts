import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { identityOfCommands, type TestApp } from '../../../app.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

/** The whole answer of a route. */
async function ask(daemon: TestApp, route: string, body: object): Promise<Json> {
  const answer = await daemon.post(`/v1/file/${route}`, body);
  expect([answer.statusCode, answer.statusCode === 200 || answer.body]).toEqual([200, true]);
  return answer.json();
}

/** The `data` of a call that must succeed. */
async function call(daemon: TestApp, route: string, body: object): Promise<Json> {
  const answer = await ask(daemon, route, body);
  expect([answer.success, answer.message]).toEqual([true, expect.any(String)]);
  return answer.data;
}

const namesOf = ({ files }: { files: { name: string }[] }) => files.map(({ name }) => name);

test('[v1-field.success] a command that fails is a call that succeeded', async ({ daemon }) => {
  const answer = await daemon.post('/v1/bash/exec', { command: 'exit 3' });
  expect(answer.json()).toMatchObject({ success: true, data: { status: 'completed', exit_code: 3 } });
});

test('[v1-field.directory] commands and terminals begin in the home of the account', async ({ daemon }) => {
  const home = identityOfCommands().home || homedir();
  for (const route of ['bash', 'shell']) {
    const { data } = (await daemon.post(`/v1/${route}/exec`, { command: 'pwd' })).json();
    expect(data.stdout ?? data.output).toBe(`${home}\n`);
  }
});

test('[file-field.not-found] a missing file is told as 1.x does, by all routes but download', async ({
  daemon,
  dir,
}) => {
  const path = join(dir, 'none');
  const cases = [
    ['read', { file: path }],
    ['replace', { file: path, old_str: 'a', new_str: 'b' }],
    ['search', { file: path, regex: 'a' }],
    ['list', { path }],
    ['find', { path, glob: '*' }, 'search'],
    ['glob', { path, pattern: '*' }, 'search'],
    ['grep', { path, pattern: 'a' }],
    ['stat', { path }],
    ['delete', { path }],
    ['copy', { source: path, destination: join(dir, 'x') }],
    ['move', { source: path, destination: join(dir, 'x') }],
    ['watch', { path }],
  ] as const;
  for (const [route, body, operation = route] of cases) {
    const answer = await ask(daemon, route, body);
    const message = `Failed to ${operation} file: [Errno 2] No such file or directory: '${path}'`;
    expect([route, answer.success, answer.message]).toEqual([route, false, expect.stringContaining('[Errno 2]')]);
    if (!['find', 'glob', 'grep', 'search'].includes(route)) expect(answer.message).toBe(message);
    expect(answer.data).toMatchObject({ errno: 2, errno_name: 'ENOENT', message: answer.message });
  }
  const download = await daemon.inject({ url: '/v1/file/download', query: { path } });
  expect([download.statusCode, download.json().message]).toEqual([404, expect.not.stringContaining('[Errno 2]')]);
  const v2 = await daemon.inject({ url: '/v2/fs/read', query: { path } });
  expect(v2.json().message).not.toContain('[Errno 2]');
});

describe('read and write', () => {
  test('[file-field.read-lines] [file-field.read-content] [file-field.line-count] docs/contract.md §12 /file read line_count', async ({
    daemon,
    dir,
  }) => {
    const file = join(dir, 'f');
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    const read = async (range: object) => {
      const { content, line_count } = await call(daemon, 'read', { file, ...range });
      return [content, line_count];
    };
    expect(await read({ start_line: 0, end_line: 10 })).toEqual([lines.slice(0, 10).join('\n'), 10]);
    expect(await read({ start_line: 25, end_line: 99 })).toEqual([lines.slice(25).join('\n'), 5]);
    expect(await read({ start_line: 28, end_line: null })).toEqual([lines.slice(28).join('\n'), 2]);
    expect(await read({ start_line: null, end_line: 1 })).toEqual(['line 0', 1]);
    expect(await read({ start_line: 30, end_line: 40 })).toEqual(['', 0]);
    expect(await read({ start_line: 5, end_line: 5 })).toEqual(['', 0]);
    expect(await read({})).toEqual([`${lines.join('\n')}\n`, 30]);
    const v2 = await daemon.inject({ url: '/v2/fs/read', query: { path: file, start_line: '0', end_line: '10' } });
    expect(v2.json().data.line_count).toBe(30);
  });

  test('[file-field.write-encoding] [file-field.write-newlines] newlines are added to text alone', async ({
    daemon,
    dir,
  }) => {
    const file = join(dir, 'f');
    const newlines = { leading_newline: true, trailing_newline: true };
    const written = async (body: object) => {
      const { bytes_written } = await call(daemon, 'write', { file, ...newlines, ...body });
      const bytes = readFileSync(file);
      expect(bytes_written).toBe(bytes.length);
      return bytes;
    };
    expect(await written({ content: 'AP8=', encoding: 'base64' })).toEqual(Buffer.from([0, 255]));
    expect(await written({ content: 'é', encoding: 'raw' })).toEqual(Buffer.from([10, 0xe9, 10]));
    expect(await written({ content: 'é' })).toEqual(Buffer.from('\né\n'));
    await daemon.post('/v2/fs/write', { path: file, content: 'AP8=', encoding: 'base64', ...newlines });
    expect(readFileSync(file)).toEqual(Buffer.from([10, 0, 255, 10]));
  });

  test('[file-field.write-append] append adds, else the whole file is replaced', async ({ daemon, dir }) => {
    const file = join(dir, 'f');
    await call(daemon, 'write', { file, content: 'a long text' });
    await call(daemon, 'write', { file, content: 'b', append: false });
    await call(daemon, 'write', { file, content: 'c', append: true });
    expect(readFileSync(file, 'utf8')).toBe('bc');
  });
});

describe('names', () => {
  test('[file-field.find-name] find finds a file by its bare name', async ({ daemon, dir }) => {
    mkdirSync(join(dir, 'd'));
    for (const name of ['a', '.env', 'd/a']) writeFileSync(join(dir, name), '');
    const find = async (glob: string) => (await call(daemon, 'find', { path: dir, glob })).files;
    expect(await find('a')).toEqual([join(dir, 'a')]);
    expect(await find('.env')).toEqual([join(dir, '.env')]);
    expect(await find('none')).toEqual([]);
  });

  test('[file-field.glob-kinds] [file-field.glob-metadata] [file-field.glob-sort] [file-field.glob-total] glob', async ({
    daemon,
    dir,
  }) => {
    mkdirSync(join(dir, 'd'));
    for (const [name, size, time] of [
      ['a', 3, 30],
      ['b', 1, 10],
      ['c', 2, 20],
      ['.h', 9, 1],
    ] as const) {
      writeFileSync(join(dir, name), 'x'.repeat(size));
      utimesSync(join(dir, name), time, time);
    }
    const glob = (body: object) => call(daemon, 'glob', { path: dir, pattern: '*', ...body });
    expect(namesOf(await glob({}))).toEqual(['a', 'b', 'c']);
    expect(namesOf(await glob({ files_only: false, include_hidden: true }))).toEqual(['.h', 'a', 'b', 'c', 'd']);
    for (const [sort_by, expected] of [
      ['path', 'a'],
      ['name', 'a'],
      ['size', 'b'],
      ['modified', 'b'],
    ] as const) {
      const first = await glob({ sort_by, max_results: 1 });
      expect([sort_by, namesOf(first), first.total_count, first.truncated]).toEqual([sort_by, [expected], 3, true]);
    }
    const last = await glob({ sort_by: 'size', sort_desc: true, max_results: 2 });
    expect([namesOf(last), last.total_count]).toEqual([['a', 'c'], 3]);
    expect(await glob({ max_results: 3 })).toMatchObject({ total_count: 3, truncated: false });
    const [bare] = (await glob({ include_metadata: false })).files;
    expect(bare).toMatchObject({ size: null, modified_time: null });
  });

  test('[file-field.list-hidden] [file-field.list-types] [file-field.list-depth] [file-field.list-sort] [file-field.list-null] list', async ({
    daemon,
    dir,
  }) => {
    mkdirSync(join(dir, 'd/e'), { recursive: true });
    for (const [name, size] of [
      ['z.py', 1],
      ['a.txt', 5],
      ['.h.py', 3],
      ['d/e/deep.py', 2],
    ] as const) {
      writeFileSync(join(dir, name), 'x'.repeat(size));
      utimesSync(join(dir, name), 100 - size, 100 - size);
    }
    const list = (body: object) => call(daemon, 'list', { path: dir, ...body });
    expect(namesOf(await list({}))).toEqual(['.h.py', 'a.txt', 'd', 'z.py']);
    expect(namesOf(await list({ show_hidden: false }))).toEqual(['a.txt', 'd', 'z.py']);
    const files = { recursive: true, file_types: ['.py'] };
    const python = async (body: object) => namesOf(await list({ ...files, ...body })).filter((name) => /py/.test(name));
    expect(await python({ max_depth: null })).toEqual(['.h.py', 'deep.py', 'z.py']);
    expect(await python({ max_depth: 1 })).toEqual(['.h.py', 'z.py']);
    expect(await python({ sort_by: 'size' })).toEqual(['z.py', 'deep.py', '.h.py']);
    expect(await python({ sort_by: 'modified' })).toEqual(['.h.py', 'deep.py', 'z.py']);
    expect(namesOf(await list({ sort_by: 'type' })).at(-1)).toBe('a.txt');
    const [plain] = (await list({ include_size: false })).files;
    expect(plain).toMatchObject({ size: null, permissions: null, modified_time: '1970-01-01T00:01:37.000Z' });
    expect((await list({ include_permissions: true })).files[0].permissions).toBe('-rw-r--r--');
  });
});

describe('grep', () => {
  test('[file-field.grep-path] [file-field.grep-globs] [file-field.grep-size] what is searched', async ({
    daemon,
    dir,
  }) => {
    mkdirSync(join(dir, 'skip/deep'), { recursive: true });
    for (const name of ['a.py', 'b.rs', 'c.txt', 'skip/d.py', 'skip/deep/e.py'])
      writeFileSync(join(dir, name), 'word\n');
    writeFileSync(join(dir, 'large.py'), `${'x\n'.repeat(1000)}word\n`);
    const grep = async (body: object) => {
      const { matches } = await call(daemon, 'grep', { path: dir, pattern: 'word', ...body });
      return matches.map(({ file }: { file: string }) => file.slice(dir.length + 1)).sort();
    };
    expect(await grep({ path: join(dir, 'a.py') })).toEqual(['a.py']);
    expect(await grep({ include: ['*.py'], exclude: ['skip'] })).toEqual(['a.py', 'large.py']);
    expect(await grep({ type: 'rust' })).toEqual(['b.rs']);
    expect(await grep({ type: 'py', max_file_size: '1K' })).toEqual(['a.py', 'skip/d.py', 'skip/deep/e.py']);
  });

  test('[file-field.grep-multiline] [file-field.grep-page] [file-field.grep-context] what is answered', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'one\ntwo\nthree\ntwo\nfive\n');
    const grep = (body: object) => call(daemon, 'grep', { path, ...body });
    const { matches } = await grep({ pattern: 'one.*three', multiline: true });
    expect(matches).toMatchObject([{ line_number: 1, line_content: 'one\ntwo\nthree' }]);
    expect((await grep({ pattern: 'one.two.three', multiline: false })).matches).toEqual([]);
    expect((await grep({ pattern: 'one.two', multiline: true, fixed_strings: true })).matches).toEqual([]);
    const second = await grep({ pattern: 'two', offset: 1, max_results: 1, context_before: 1, context_after: 1 });
    expect(second.matches).toMatchObject([{ line_number: 4, context_before: ['three'], context_after: ['five'] }]);
  });
});

test('[file-field.upload-path] path names the file', async ({ daemon, dir }) => {
  const form = new FormData();
  form.append('file', new Blob(['hello']), 'other-name');
  form.append('path', join(dir, 'given'));
  const request = new Response(form);
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  const payload = Buffer.from(await request.arrayBuffer());
  const answer = await daemon.inject({ method: 'POST', url: '/v1/file/upload', headers, payload });
  expect(answer.json().data.file_path).toBe(join(dir, 'given'));
  expect(readFileSync(join(dir, 'given'), 'utf8')).toBe('hello');
});

test.for(['abort', 'ignore'])(
  '[file-field.download-policy] %s sends a file that stays',
  async (policy, { daemon, dir }) => {
    writeFileSync(join(dir, 'f'), 'x');
    const query = { path: join(dir, 'f'), change_policy: policy };
    expect((await daemon.inject({ url: '/v1/file/download', query })).body).toBe('x');
  },
);
