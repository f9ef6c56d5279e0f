import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Place } from '../place.fixture.ts';

test('[search.names] GET /v2/fs/search finds regular files by glob, including hidden ones, and reports truncation', async () => {
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
  ['an invalid pattern', { pattern: 'fo(o' }, 400],
  ['an unknown type', { pattern: 'x', type: 'nope' }, 400],
  ['a path of no account', { path: '~no-such-account', pattern: 'x' }, 400],
  ['a missing path', { path: '/no/such/place', pattern: 'x' }, 404],
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

test('[grep.defaults] 500 matches, and files of up to 1 MiB unless the path is a file', async () => {
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
