import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { BlobStore, hashOf } from './blob-store.ts';

function adopt(directory: string, text: string): string {
  using store = new BlobStore(directory);
  const [path, bytes] = [join(directory, 'incoming'), Buffer.from(text)];
  writeFileSync(path, bytes);
  store.adopt(path, bytes.length, [{ hash: hashOf(bytes), offset: 0, length: bytes.length }]);
  store.commit();
  return hashOf(bytes);
}

test('[checkpoint.kill] a pack that takes the number of one that is gone does not get its blobs', async () => {
  await using directory = await tempDir();
  const gone = adopt(directory.path, 'gone');
  // As a kill leaves it between the removal of an unused pack and the writing of the index.
  rmSync(join(directory.path, 'packs'), { recursive: true });
  const other = adopt(directory.path, 'other');
  using store = new BlobStore(directory.path);
  expect([store.has(gone), store.get(other).toString()]).toEqual([false, 'other']);
});
