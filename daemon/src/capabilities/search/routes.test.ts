import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

const WIRE = join(import.meta.dirname, '../../../../docs/openapi/1.x-wire.json');
const ajv = new Ajv2020({ strict: false });
ajv.addSchema(JSON.parse(readFileSync(WIRE, 'utf8')), 'wire');

function expectValid(schema: string, value: unknown): void {
  const validate = ajv.getSchema(`wire#/components/schemas/${schema}`);
  if (!validate) throw new Error(`no such schema: ${schema}`);
  expect([schema, validate(value), validate.errors]).toEqual([schema, true, null]);
}

class Place implements AsyncDisposable {
  readonly daemon: TestApp;
  readonly root = mkdtempSync(join(tmpdir(), 'searched-'));

  private constructor(daemon: TestApp) {
    this.daemon = daemon;
    mkdirSync(join(this.root, 'd/.h'), { recursive: true });
    writeFileSync(join(this.root, 'a.py'), 'import os\nprint("hello")\nhello = 1\n');
    writeFileSync(join(this.root, 'd/b.py'), 'hello = 2\n');
    writeFileSync(join(this.root, 'd/.h/c.py'), 'hello = 3\n');
    writeFileSync(join(this.root, 'd/n.txt'), 'x'.repeat(5));
  }

  static async start(overrides: Parameters<typeof TestApp.start>[0] = {}): Promise<Place> {
    return new Place(await TestApp.start(overrides));
  }

  path(name: string): string {
    return join(this.root, name);
  }

  async post(url: string, body: object, headers: Record<string, string> = {}) {
    const answer = await this.daemon.post(url, body, headers);
    return { status: answer.statusCode, ...answer.json() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.root, { recursive: true, force: true });
  }
}

test('[search.names] GET /v2/fs/search finds regular files by glob, hidden ones too, and says where it stopped', async () => {
  await using place = await Place.start();
  const search = (query: Record<string, string>) => place.daemon.inject({ url: '/v2/fs/search', query });
  const found = await search({ path: place.root, pattern: '**/*.py' });
  expect(found.json().data).toEqual({
    files: [place.path('a.py'), place.path('d/.h/c.py'), place.path('d/b.py')],
    truncated: false,
  });
  const first = await search({ path: `${place.root}/`, pattern: '*.py', limit: '1' });
  expect(first.json().data).toEqual({ files: [place.path('a.py')], truncated: true });
  expect((await search({ path: place.root, pattern: 'none' })).json().data).toEqual({ files: [], truncated: false });
});

test('[grep.answer] POST /v2/fs/grep answers matches and counts', async () => {
  await using place = await Place.start();
  const answer = await place.post('/v2/fs/grep', {
    path: place.root,
    pattern: 'HELLO =',
    case_insensitive: true,
    exclude: ['.h'],
    context_before: 1,
  });
  expect(answer.data).toEqual({
    path: place.root,
    pattern: 'HELLO =',
    matches: [
      {
        file: place.path('a.py'),
        line_number: 3,
        line_content: 'hello = 1',
        context_before: ['print("hello")'],
        context_after: [],
      },
      { file: place.path('d/b.py'), line_number: 1, line_content: 'hello = 2', context_before: [], context_after: [] },
    ],
    match_count: 2,
    files_searched: 3,
    files_matched: 2,
    truncated: false,
  });
  const paged = await place.post('/v2/fs/grep', { path: place.root, pattern: 'hello', max_results: 1, offset: 1 });
  expect(paged.data).toMatchObject({ match_count: 1, truncated: true, matches: [{ line_number: 3 }] });
});

test.each([
  ['a pattern that is none', { pattern: 'fo(o' }, 400],
  ['a type that is none', { pattern: 'x', type: 'nope' }, 400],
  ['a relative path', { path: 'tmp', pattern: 'x' }, 400],
  ['a path that is not there', { path: '/no/such/place', pattern: 'x' }, 404],
  ['a device', { path: '/dev/zero', pattern: 'x' }, 400],
  ['too many results', { pattern: 'x', max_results: 10_001 }, 422],
  ['no size', { pattern: 'x', max_file_size: 'big' }, 422],
  ['no pattern', {}, 422],
  ['a NUL', { pattern: 'a\0b' }, 422],
  ['braces without bound', { pattern: 'x', include: ['{a,b}'.repeat(20)] }, 400],
])('[grep.bounds] %s is refused', async (_name, more, status) => {
  await using place = await Place.start();
  const answer = await place.post('/v2/fs/grep', { path: place.root, ...more });
  expect([answer.status, answer.success]).toEqual([status, false]);
  if (status !== 422) expect(answer.data).toMatchObject({ operation: 'grep', exception_type: expect.any(String) });
});

test('[search.cap] a search for names answers at most 10,000 and says so', async () => {
  await using place = await Place.start();
  mkdirSync(place.path('many'));
  for (let at = 0; at < 10_001; at += 1) writeFileSync(place.path(`many/f${at}`), '');
  const answer = await place.daemon.inject({ url: '/v2/fs/search', query: { path: place.root, pattern: 'f*' } });
  const { files, truncated } = answer.json().data;
  expect([files.length, new Set(files).size, truncated]).toEqual([10_000, 10_000, true]);
});

test.each([
  ['include', { pattern: 'hello', include: ['*.py', '!a.*'] }, ['d/.h/c.py:1', 'd/b.py:1']],
  ['exclude', { pattern: 'hello', exclude: ['.h', 'a.py'] }, ['d/b.py:1']],
  ['type', { pattern: 'x|hello', type: 'txt' }, ['d/n.txt:1']],
  ['recursive: false', { pattern: 'hello', recursive: false }, ['a.py:2', 'a.py:3']],
  ['max_file_size', { pattern: 'hello', max_file_size: '20' }, ['d/.h/c.py:1', 'd/b.py:1']],
  ['fixed_strings', { pattern: 'print("hello")', fixed_strings: true }, ['a.py:2']],
  ['case_insensitive', { pattern: 'PRINT', case_insensitive: true }, ['a.py:2']],
  ['multiline', { pattern: 'os\\nprint', multiline: true }, ['a.py:1']],
])('[grep.options] %s', async (_name, options, found) => {
  await using place = await Place.start();
  const { data } = await place.post('/v2/fs/grep', { path: place.root, ...options });
  const named = ({ file, line_number }: { file: string; line_number: number }): string =>
    `${file.slice(place.root.length + 1)}:${line_number}`;
  expect(data.matches.map(named)).toEqual(found);
});

test('[grep.defaults] 500 matches, and files of up to 1M unless one is named', async () => {
  await using place = await Place.start();
  writeFileSync(place.path('many'), 'needle\n'.repeat(501));
  const many = await place.post('/v2/fs/grep', { path: place.root, pattern: 'needle' });
  expect(many.data).toMatchObject({ match_count: 500, truncated: true });
  writeFileSync(place.path('exact'), `hay\n${'x'.repeat(1024 * 1024 - 4)}`);
  writeFileSync(place.path('large'), `hay\n${'x'.repeat(1024 * 1024 - 3)}`);
  const below = await place.post('/v2/fs/grep', { path: place.root, pattern: '^hay$' });
  expect(below.data.matches).toMatchObject([{ file: place.path('exact') }]);
  const named = await place.post('/v2/fs/grep', { path: place.path('large'), pattern: '^hay$' });
  expect(named.data.matches).toMatchObject([{ file: place.path('large') }]);
});

describe('in the layout of 1.x', () => {
  test('[find-v1.result] [v1.file-required-fields] find', async () => {
    await using place = await Place.start();
    const answer = await place.post('/v1/file/find', { path: place.root, glob: '**/*.py' });
    expectValid('Response_Union_FileFindResult__FileOperationError__', answer);
    expect(answer.data).toEqual({ path: place.root, files: [place.path('a.py'), place.path('d/b.py')] });
    const failed = await place.post('/v1/file/find', { path: place.path('a.py'), glob: '*' });
    expectValid('Response_Union_FileFindResult__FileOperationError__', failed);
    expect([failed.status, failed.success, failed.data.errno_name]).toEqual([200, false, 'ENOTDIR']);
  });

  test('[glob-v1.result] [v1.file-required-fields] glob', async () => {
    await using place = await Place.start();
    const glob = async (body: object) => {
      const answer = await place.post('/v1/file/glob', { path: place.root, ...body });
      expectValid('Response_Union_FileGlobResult__FileOperationError__', answer);
      return answer.data;
    };
    expect(await glob({ pattern: '**/*' })).toMatchObject({
      path: place.root,
      pattern: '**/*',
      files: [
        { path: place.path('a.py'), name: 'a.py', is_directory: false, size: 35, modified_time: expect.any(String) },
        { name: 'b.py' },
        { name: 'n.txt' },
      ],
      total_count: 3,
      truncated: false,
    });
    const names = ({ files }: { files: { name: string }[] }) => files.map(({ name }) => name);
    expect(names(await glob({ pattern: '**', include_hidden: true, files_only: false }))).toContain('.h');
    expect(names(await glob({ pattern: '**/*', sort_by: 'size', sort_desc: true }))).toEqual(['a.py', 'b.py', 'n.txt']);
    expect(names(await glob({ pattern: '**/*', exclude: ['d'] }))).toEqual(['a.py']);
    expect(await glob({ pattern: '**/*', max_results: 1, include_metadata: false })).toMatchObject({
      files: [{ name: 'a.py', size: null, modified_time: null }],
      truncated: true,
    });
  });

  test('[grep-v1.result] [v1.file-required-fields] grep', async () => {
    await using place = await Place.start();
    const answer = await place.post('/v1/file/grep', {
      path: place.root,
      pattern: 'hello',
      include: ['a.*'],
      type: null,
    });
    expectValid('Response_Union_FileGrepResult__FileOperationError__', answer);
    expect(answer.data).toMatchObject({ match_count: 2, files_matched: 1, path: place.root, pattern: 'hello' });
    const refused = await place.post('/v1/file/grep', { path: place.root, pattern: '(' });
    expectValid('Response_Union_FileGrepResult__FileOperationError__', refused);
    expect([refused.status, refused.success, refused.data.error_type]).toEqual([200, false, 'bad_request']);
  });

  test('[search-v1.own-shape] search answers matches with line numbers from 1', async () => {
    await using place = await Place.start();
    const answer = await place.post('/v1/file/search', { file: place.path('a.py'), regex: 'hel+o' });
    expect(answer).toMatchObject({ success: true, message: 'found 2 matches' });
    expect(answer.data).toEqual({
      file: place.path('a.py'),
      matches: [
        { line_number: 2, line: 'print("hello")', match: 'hello' },
        { line_number: 3, line: 'hello = 1', match: 'hello' },
      ],
      line_numbers: [2, 3],
    });
    const failed = await place.post('/v1/file/search', { file: place.root, regex: 'x' });
    expect([failed.status, failed.success, failed.data.errno_name]).toEqual([200, false, 'EISDIR']);
    const empty = await place.post('/v1/file/search', { regex: 'x' });
    expect([empty.status, empty.errors[0].location, empty.detail[0].loc]).toEqual([
      422,
      ['body', 'file'],
      ['body', 'file'],
    ]);
  });

  test.each([
    ['X-Fern-Language', { 'x-fern-language': 'Python' }],
    ['the Go client', { 'user-agent': 'Go-http-client/1.1' }],
  ])(
    '[search-v1.sdk-shape] search answers the layout of the SDKs to %s',
    async (_name, headers: Record<string, string>) => {
      await using place = await Place.start();
      const answer = await place.post('/v1/file/search', { file: place.path('a.py'), regex: 'hel+o' }, headers);
      expectValid('Response_Union_FileSearchResult__FileOperationError__', answer);
      expect(answer.data).toEqual({
        file: place.path('a.py'),
        matches: ['print("hello")', 'hello = 1'],
        line_numbers: [1, 2],
      });
    },
  );
});
