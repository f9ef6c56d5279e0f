import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeRows } from '../../../../scripts/testing/describe-rows.ts';
import { shownPath } from '../../core/files/file-path.ts';
import { ENGINES, engineTitle, grepRequest, NEVER, ripgrep, Tree } from './engines.fixture.ts';
import type { GrepRequest, GrepResult } from './requests.ts';
import { SearchService } from './search-service.ts';

const SAMPLE = {
  'a.txt': 'foo bar\nbaz foo foo\nqux\nfoo\n',
  'a/b.py': 'def foo():\n    return "Foo"\n',
  'a/deep/c.ts': 'const foo = 1;\r\nexport { foo };\r\n',
  '.hidden/x.py': 'foo = 1\n',
  'node_modules/m.js': 'foo()\n',
  binary: 'foo\n\0\nfoo\n',
  'late-nul': `foo\n${'x'.repeat(200_000)}\n\0`,
  'latin1.txt': Buffer.from('foo \xe9\n', 'latin1'),
  'utf16.txt': Buffer.from('\ufefffoo wide\n', 'utf16le'),
  'utf8-mark.txt': '\ufefffoo mark\n',
  'no-end': 'one\nfoo',
  empty: '',
  'words.txt': 'wörter über ß\nnaïve\tfoo\n42 4٢\n',
  'big.txt': `${'y\n'.repeat(60_000)}foo big\n`,
  '.gitignore': 'a.txt\n',
} as const;

const NO_MATCH = 'no such text';

const CASES: readonly (readonly [name: string, pattern: string, more: Partial<GrepRequest>])[] = [
  ['a word', 'foo', {}],
  ['at the end of a line', 'foo\\W*$', {}],
  ['at its beginning', '^foo', {}],
  ['whatever the case', 'FOO', { caseInsensitive: true }],
  ['a flag within', '(?i)FOO\\(', {}],
  ['a fixed string', 'foo()', { fixedStrings: true }],
  ['letters of the world', '\\bw\\w+\\b|ß', {}],
  ['digits of the world', '\\d+ \\d{2}', {}],
  ['classes', '[[:upper:]]oo|[^\\x00-\\x7f]', {}],
  ['lines around', 'foo', { before: 1, after: 2 }],
  ['lines around the last', 'qux', { before: 5, after: 5 }],
  ['several lines', 'bar\\s+baz', { multiline: true }],
  ['several lines each its own', 'foo', { multiline: true }],
  ['dots over lines', '(?s)bar.*qux', { multiline: true, after: 1 }],
  ['lines with their end', 'foo\\n', { multiline: true, exclude: ['late-nul'] }],
  ['not below', 'foo', { recursive: false }],
  ['included names', 'foo', { include: ['*.py', '*.ts'] }],
  ['included paths', 'foo', { include: ['/a/**'] }],
  ['excluded directories', 'foo', { exclude: ['node_modules', '.hidden', 'a/deep'] }],
  ['included and excluded', 'foo', { include: ['*.{py,js}'], exclude: ['.*'] }],
  ['a type', 'foo', { type: 'py' }],
  ['a type and names', 'foo', { type: 'py', include: ['b.*', '*.txt'] }],
  ['small files', 'foo', { maxFileSize: 30 }],
  ['nothing', NO_MATCH, {}],
  ['everything', '', { include: ['a.txt', 'no-end'] }],
];

/** What matched in a line is told of single files alone. */
function comparable(result: GrepResult | undefined) {
  return { ...result, matches: result?.matches.map((match) => ({ ...match, match: undefined })) };
}

describe.runIf(ripgrep !== undefined)('both engines give the same answer', () => {
  test.each(CASES)('[search.same-answers] %s', async (_name, pattern, more) => {
    using tree = new Tree(SAMPLE);
    symlinkSync('a', join(tree.root, 'link'));
    const [theirs, own] = await Promise.all(ENGINES.map(({ find }) => tree.grep(find, pattern, more)));
    expect(comparable(own)).toEqual(comparable(theirs));
    expect(own?.stop).toBeUndefined();
    expect((own?.matches.length ?? 0) > 0).toBe(pattern !== NO_MATCH);
  });

  test.each([
    ['page', 3, 2, 3],
    ['first page', 2, 0, 2],
    ['last page', 50, 7, 7],
  ])('[search.same-answers] [grep.offset] a %s', async (_name, maxResults, offset, length) => {
    using tree = new Tree(SAMPLE);
    const more = { maxResults, offset, before: 1, after: 1 };
    const [theirs, own] = await Promise.all(ENGINES.map(({ find }) => tree.grep(find, 'foo', more)));
    expect(comparable(own)).toEqual(comparable(theirs));
    expect(own?.matches).toHaveLength(length);
  });

  test.each(['*.py', '**/*.py', 'a/**', '/a.txt', '*', '!*.txt', '{a,b}*', '[a-b].???', '.*', 'deep'])(
    '[search.same-answers] names like %s',
    async (pattern) => {
      using tree = new Tree(SAMPLE);
      const [theirs, own] = await Promise.all(ENGINES.map(({ find }) => tree.names(find, pattern)));
      expect(own).toEqual(theirs);
      // Regular files alone are found, and that one is a directory.
      expect((own?.length ?? 0) > 0).toBe(pattern !== 'deep');
    },
  );

  test.each(['fo(o', '[z-a]', 'a{2,1}', '(?=x)\\1(', '*', '\\p{Nope}'])('both refuse %s', async (pattern) => {
    using tree = new Tree(SAMPLE);
    for (const { find } of ENGINES) {
      await expect(tree.grep(find, pattern)).rejects.toMatchObject({
        kind: 'invalid',
        file: { errorType: 'bad_request' },
      });
    }
  });
});

describeRows(ENGINES, engineTitle, ({ name, find }) => {
  test('[grep.matches] tells files, line numbers from 1, and lines without their end', async () => {
    using tree = new Tree(SAMPLE);
    expect(await tree.lines(find, 'foo', { include: ['*.ts', 'a.txt'] })).toEqual([
      'a/deep/c.ts:1:const foo = 1;',
      'a/deep/c.ts:2:export { foo };',
      'a.txt:1:foo bar',
      'a.txt:2:baz foo foo',
      'a.txt:4:foo',
    ]);
  });

  test('of a single file it tells what matched', async () => {
    using tree = new Tree(SAMPLE);
    const { matches, filesSearched } = await tree.grep(find, 'b\\w+', { path: join(tree.root, 'a.txt') });
    expect(matches.map(({ lineNumber, match }) => [lineNumber, match])).toEqual([
      [1, 'bar'],
      [2, 'baz'],
    ]);
    expect(filesSearched).toBe(1);
  });

  test('[grep.context] tells the lines around', async () => {
    using tree = new Tree(SAMPLE);
    const { matches } = await tree.grep(find, 'qux', { before: 1, after: 3 });
    expect(matches).toMatchObject([{ before: ['baz foo foo'], after: ['foo'] }]);
  });

  test('[grep.limit] comes back as soon as there is enough, in an order that does not change', async () => {
    using tree = new Tree(
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`d${index % 7}/f${index}`, 'foo\n'])),
    );
    const first = await tree.grep(find, 'foo', { maxResults: 5 });
    expect(first).toMatchObject({ stop: 'results', filesSearched: null });
    const names = first.matches.map(({ file }) => tree.named(shownPath(file)));
    expect(names).toEqual(['d0/f0', 'd0/f105', 'd0/f112', 'd0/f119', 'd0/f126']);
    const all = await tree.grep(find, 'foo', { maxResults: 300 });
    expect(all.matches.slice(0, 5)).toEqual(first.matches);
    expect(all).toMatchObject({ stop: undefined, filesSearched: 300 });
  });

  test('[grep.look-around] look-around and back-references work with PCRE2, else they are refused', async () => {
    using tree = new Tree(SAMPLE);
    const found = tree.lines(find, '(?<=baz )(f)(o)\\2', { include: ['a.txt'] });
    if (name === 'ripgrep') expect(await found).toEqual(['a.txt:2:baz foo foo']);
    else await expect(found).rejects.toThrow('PCRE2');
  });

  test('many callers at once all get their answer', async () => {
    using tree = new Tree(SAMPLE);
    const service = new SearchService(600, find);
    const request = grepRequest(tree.root, 'foo');
    // From source a thread first reads its modules as TypeScript.
    const callers = name === 'own' ? 12 : 64;
    const answers = await Promise.all(Array.from({ length: callers }, () => service.grep(request, NEVER)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.matches.length).toBeGreaterThan(10);
  });

  test('names that are not UTF-8 are found, exactly', async () => {
    using tree = new Tree({ 'a.txt': 'foo\n' });
    const odd = Buffer.concat([Buffer.from(`${tree.root}/b`), Buffer.from([0xff]), Buffer.from('.txt')]);
    writeFileSync(odd, 'foo\n');
    const { matches } = await tree.grep(find, 'foo', { include: ['*.txt'] });
    expect(matches.map(({ file }) => file)).toEqual([join(tree.root, 'a.txt'), odd]);
    const request = {
      path: tree.root,
      pattern: 'b*',
      dialect: 'ripgrep',
      exclude: [],
      hidden: true,
      maxResults: 9,
    } as const;
    const { names } = await new SearchService(600, find).names(request, NEVER);
    expect(names).toEqual([{ path: odd, isDirectory: false }]);
  });

  test("[find.python-glob] Python's globs leave hidden names alone, and only ** descends", async () => {
    using tree = new Tree({ 'a.py': '', 'd/b.py': '', 'd/e/c.py': '', '.h.py': '', '.d/x.py': '', '{a,b}': '' });
    const found = (pattern: string) => tree.names(find, pattern, 'python');
    expect(await found('*.py')).toEqual(['a.py']);
    expect(await found('**/*.py')).toEqual(['a.py', 'd/b.py', 'd/e/c.py']);
    expect(await found('*/*.py')).toEqual(['d/b.py']);
    expect(await found('.*')).toEqual(['.d', '.h.py']);
    expect(await found('{a,b}')).toEqual(['{a,b}']);
    expect(await found('d')).toEqual(['d']);
  });
});
