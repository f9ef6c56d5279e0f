import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeRows } from '../../../../scripts/testing/describe-rows.ts';
import { has } from '../../../../scripts/testing/machine.ts';
import { withholdCredentials } from '../../core/access/credential-files.ts';
import { shownPath } from '../../core/files/file-path.ts';
import { Homes } from '../files/account.fixture.ts';
import { ENGINES, engineTitle, grepRequest, NEVER, ripgrep, Tree } from './engines.fixture.ts';
import { SearchService } from './search-service.ts';

const KEY = 'key-that-no-search-gives';

/** A tree with a key in a directory, and another file beside it. */
class KeyTree extends Tree {
  readonly #withheld: Disposable;

  constructor() {
    super({ 'd/key': `${KEY}\n`, 'd/kept': 'kept\n' });
    this.#withheld = withholdCredentials({ files: [join(this.root, 'd/key')], values: () => [KEY] });
  }

  override [Symbol.dispose](): void {
    this.#withheld[Symbol.dispose]();
    super[Symbol.dispose]();
  }
}

describeRows(ENGINES, engineTitle, ({ find }) => {
  test('[secret.files] a search finds no line of the key, and its counts do not tell one either', async () => {
    using tree = new KeyTree();
    linkSync(join(tree.root, 'd/key'), join(tree.root, 'another-name'));
    for (const more of [
      {},
      { multiline: true },
      { before: 2, after: 2 },
      { include: ['kept', 'key', 'another-name'] },
    ]) {
      expect(await tree.lines(find, '.', more)).toEqual(['d/kept:1:kept']);
      // Less than wanted without the two lines of the key, more with them.
      expect((await tree.grep(find, '^k', { ...more, maxResults: 2 })).stop).toBeUndefined();
    }
  });

  test('[secret.files] a search in the key itself is 403, by any name', async () => {
    using tree = new KeyTree();
    for (const path of [join(tree.root, 'd/key'), `/proc/self/root${tree.root}/d/key`]) {
      await expect(new SearchService(600, find).grep(grepRequest(path, '^k'), NEVER)).rejects.toThrow(/\(EACCES\)/);
    }
  });

  test('[secret.files] a search below another name of the directory does not find it', async () => {
    using tree = new KeyTree();
    const request = grepRequest(`/proc/self/root${tree.root}/d`, '.');
    const { matches } = await new SearchService(600, find).grep(request, NEVER);
    expect(matches.map(({ line }) => line)).toEqual(['kept']);
  });
});

test.runIf(has('ripgrep'))(
  '[secret.files] ripgrep opens files itself: lines of a key or a claim are dropped',
  async () => {
    using tree = new KeyTree();
    writeFileSync(join(tree.root, 'd/claim'), JSON.stringify({ apiKey: KEY, env: {} }));
    writeFileSync(join(tree.root, 'd/copy'), `${KEY}\n`);
    writeFileSync(join(tree.root, 'd/.env'), `KEY=${KEY}\n`);
    expect(await tree.lines(() => ripgrep, 'key-')).toEqual([`d/.env:1:KEY=${KEY}`]);
    expect((await tree.grep(() => ripgrep, 'key-')).filesSearched).toBe(4);
  },
);

test.runIf(has('root') && has('ripgrep'))(
  '[secret.files] a directory that gives way to a link does not lead a search to the key',
  async () => {
    await using homes = new Homes();
    const key = join(homes.outside, 'kept');
    writeFileSync(key, `${KEY}\n`);
    using _withheld = withholdCredentials({ files: [key], values: () => [KEY] });
    homes.directory('d');
    // Many names make it likely that one of them is opened while the link is there.
    for (let count = 0; count < 200; count += 1) {
      linkSync(key, join(homes.outside, `name-${count}`));
      homes.file(`d/name-${count}`);
    }
    await homes.swap('directory');
    const found = new Set<string>();
    for (let count = 0; count < 40; count += 1) {
      const { matches } = await new SearchService(600, () => ripgrep).grep(grepRequest(homes.home, '.'), NEVER);
      for (const { file, line } of matches) if (shownPath(file).includes('/name-')) found.add(line);
    }
    expect([...found]).toEqual(['own']);
  },
);
