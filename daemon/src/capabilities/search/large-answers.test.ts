import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeRows } from '../../../../scripts/testing/describe-rows.ts';
import { byteNameOf, pathOf } from '../../core/files/byte-name.ts';
import { ENGINES, engineTitle, grepRequest, NEVER, ripgrep, Tree } from './engines.fixture.ts';
import type { GrepRequest } from './requests.ts';
import { PassReader } from './ripgrep/pass-reader.ts';
import type { Place } from './ripgrep/ripgrep.ts';
import type { Message } from './ripgrep/ripgrep-messages.ts';
import { SearchService } from './search-service.ts';

const MIB = 1024 ** 2;
const LONG = 'x'.repeat(MIB / 2);

describeRows(ENGINES, engineTitle, ({ name, find }) => {
  /** The numbers of the lines in the pages of a search, until an answer is the last one. */
  async function linesInPages(request: GrepRequest): Promise<number[][]> {
    const pages: number[][] = [];
    const service = new SearchService(600, find);
    for (let offset = 0; ; ) {
      const { matches, stop } = await service.grep({ ...request, offset }, NEVER);
      pages.push(matches.map(({ lineNumber }) => lineNumber));
      if (stop === undefined) return pages;
      if (matches.length === 0) throw new Error(`an empty page at ${offset}`);
      offset += matches.length;
    }
  }

  test.each([
    ['below a directory', {}, false],
    ['of a file', {}, true],
    ['with the lines around', { before: 1, after: 1 }, true],
    ['over lines', { multiline: true }, false],
  ])('[grep.offset] pages of 8 MiB lead to the last match %s', async (_what, more, isFile) => {
    const lines = Array.from({ length: 50 }, (_none, at) => (at % 2 === 0 ? `${LONG} found` : 'between'));
    using tree = new Tree({ 'a/long': `${lines.join('\n')}\n` });
    const path = isFile ? join(tree.root, 'a/long') : tree.root;
    const pages = await linesInPages({ ...grepRequest(path, 'found'), ...more });
    expect(pages.flat()).toEqual(Array.from({ length: 25 }, (_none, at) => 2 * at + 1));
    expect(pages.length).toBeGreaterThan(1);
  });

  test('[search.bounded] a line that matches at each of ten million places is one match', async () => {
    using tree = new Tree({ line: `${'x'.repeat(10 * MIB)}\nx\n` });
    const request = { ...grepRequest(tree.root, 'x'), multiline: true };
    const { matches, stop } = await new SearchService(600, find).grep(request, NEVER);
    // ripgrep lists each place of the line, and the list is longer than what is read of one message.
    const found = name === 'own' ? [1, 2] : [2];
    expect([matches.map(({ lineNumber }) => lineNumber), stop]).toEqual([found, name === 'own' ? undefined : 'size']);
    expect(matches.every(({ line }) => line.length <= MIB)).toBe(true);
  });
});

describe('what is read of a run of ripgrep', () => {
  const place: Place = { cwd: '/', target: './long', isFile: true };
  const path = { text: './long' };
  const messageOf = (line: number): Message => ({
    type: 'match',
    data: { path, lines: { text: `${LONG}\n` }, line_number: line, submatches: [{ start: 0, end: 1 }] },
  });
  const readerOf = (offset: number): PassReader => {
    const request = { ...grepRequest(pathOf(byteNameOf('/')), 'x'), offset };
    const reader = new PassReader(request, place, { isLast: true, onEnough: () => {} });
    reader.take({ type: 'begin', data: { path } });
    return reader;
  };

  test('[search.bounded] is one answer, however many lines of one file match', () => {
    const reader = readerOf(0);
    let taken = 1;
    while (taken < 1_000 && reader.take(messageOf(taken))) taken += 1;
    expect(taken).toBe(16);
    const { byFile, collector, cut } = reader.result(false);
    expect([byFile[0]?.matches.length, collector.stop, cut]).toEqual([16, 'size', true]);
  });

  test('[search.bounded] does not keep what is passed over', () => {
    const reader = readerOf(1_000);
    for (let line = 1; line <= 1_015; line += 1) expect(reader.take(messageOf(line))).toBe(true);
    expect(reader.take(messageOf(1_016))).toBe(false);
    expect(reader.result(false).byFile[0]?.matches.at(0)?.lineNumber).toBe(1_001);
  });
});

test.runIf(ripgrep !== undefined)(
  '[grep.offset] both engines pass over the same matches, files of no text among them',
  async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_none, at) => [`f${at}`, at % 3 === 0 ? 'x\nx\n\0x\n' : 'x\ny\nx\n']),
    );
    using tree = new Tree(files);
    for (const offset of [0, 1, 19, 39, 40, 1_000_000]) {
      const found = await Promise.all(ENGINES.map(({ find }) => tree.lines(find, 'x', { offset, maxResults: 7 })));
      expect(found[0]).toEqual(found[1]);
      expect(found[0]).toHaveLength(Math.min(7, Math.max(40 - offset, 0)));
    }
  },
);
