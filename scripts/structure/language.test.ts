import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { literaryFolders, MOST_MARKERS } from './language.ts';
import { trackedFiles } from './tracked-files.ts';

const read = async (file: string): Promise<[string, string]> => [file, await readFile(join(ROOT, file), 'utf8')];

test('comments and texts of each folder are plain technical English', async () => {
  const files = (await trackedFiles()).filter((file) => /\.(?:tsx?|mjs|c|h|py|sh)$/.test(file));
  expect(literaryFolders(new Map(await Promise.all(files.map(read))))).toEqual([]);
});

test('a folder that has more markers than allowed is named with its rate', () => {
  const line = ['// ', 'wh', 'atever\n'].join('');
  const plain = '// any\n'.repeat(999 - MOST_MARKERS);
  expect(literaryFolders(new Map([['daemon/src/a.ts', plain + line.repeat(MOST_MARKERS + 1)]]))).toEqual([
    'daemon: 6.0',
    'daemon/src: 6.0',
  ]);
  expect(literaryFolders(new Map([['daemon/src/a.ts', plain + line.repeat(MOST_MARKERS)]]))).toEqual([]);
  expect(literaryFolders(new Map([['daemon/src/a.test.ts', line.repeat(600)]]))).toEqual([]);
});
