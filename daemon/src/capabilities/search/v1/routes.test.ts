import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.fixture.ts';

const WIRE = join(import.meta.dirname, '../../../../../docs/openapi/1.x-wire.json');
const ajv = new Ajv2020({ strict: false });
ajv.addSchema(JSON.parse(readFileSync(WIRE, 'utf8')), 'wire');

function expectValid(schema: string, value: unknown): void {
  const validate = ajv.getSchema(`wire#/components/schemas/${schema}`);
  if (!validate) throw new Error(`no such schema: ${schema}`);
  expect([schema, validate(value), validate.errors]).toEqual([schema, true, null]);
}

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

  test('[glob-v1.result] [v1.file-required-fields] docs/contract.md §12 /file glob total_count: glob', async () => {
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
      total_count: 3,
      truncated: true,
    });
    const largest = await glob({ pattern: '**/*', max_results: 1, sort_by: 'name', sort_desc: true });
    expect([names(largest), largest.total_count]).toEqual([['n.txt'], 3]);
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
