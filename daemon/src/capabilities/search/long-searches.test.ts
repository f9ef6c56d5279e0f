import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeRows } from '../../../../scripts/testing/describe-rows.ts';
import { shownPath } from '../../core/files/file-path.ts';
import { ENGINES, engineTitle, grepRequest, NEVER, Tree } from './engines.fixture.ts';
import { SearchService } from './search-service.ts';

interface LongSearch {
  readonly files: Readonly<Record<string, string>>;
  readonly pattern: string;
  /** Resolves when the next search has reached the long part. */
  readonly begun: (root: string) => Promise<void>;
  /** Files with a match that are found before. */
  readonly found: readonly string[];
}

/** PCRE2 gives up each file after a while, V8 never does. */
const LONG_SEARCHES: Readonly<Record<'ripgrep' | 'own', LongSearch>> = {
  ripgrep: {
    files: Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`f${at}`, `${'a'.repeat(40)}!\n`])),
    pattern: '(?=a)(a|aa)+$',
    begun: (root) => expect.poll(() => processesIn(root)).toEqual([expect.stringContaining('--pcre2')]),
    found: [],
  },
  own: {
    files: { first: 'aa\n', second: `${'a'.repeat(60)}!\n` },
    pattern: '(a|aa)+$',
    begun: async () => {
      const [thread] = await once(process, 'worker');
      // The thread says what it found in the first file before it looks into the second.
      await once(thread, 'message');
    },
    found: ['first'],
  },
};

/** Command lines of the processes with the root as working directory. */
function processesIn(root: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === root ? [readFileSync(`/proc/${pid}/cmdline`, 'latin1')] : [];
    } catch {
      return [];
    }
  });
}

describeRows(ENGINES, engineTitle, ({ name, find }) => {
  test('[search.bounded] a search of minutes ends when its time is over, not before', async () => {
    const { files, pattern } = LONG_SEARCHES[name];
    using tree = new Tree(files);
    const request = grepRequest(tree.root, pattern);
    const asked = performance.now();
    const result = await new SearchService(0.5, find).grep(request, NEVER);
    // A timer of Node may fire in the millisecond before its time.
    expect(performance.now() - asked).toBeGreaterThanOrEqual(499);
    expect(result).toMatchObject({ filesSearched: null, stop: 'time' });
  });

  test('[search.cancelled] a caller that disconnects ends the search', async () => {
    const { files, pattern, begun, found } = LONG_SEARCHES[name];
    using tree = new Tree(files);
    const gone = new AbortController();
    const request = grepRequest(tree.root, pattern);
    const busy = begun(tree.root);
    const search = new SearchService(600, find).grep(request, gone.signal);
    await busy;
    gone.abort();
    const result = await search;
    expect(result).toMatchObject({ filesSearched: null, stop: 'time' });
    expect(result.matches.map(({ file }) => tree.named(shownPath(file)))).toEqual(found);
    if (name === 'ripgrep') expect(processesIn(tree.root)).toEqual([]);
  });
});
