import { createHash, randomBytes } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { PIECE_BYTES } from '../../../core/process/tree/tree-frames.ts';
import { TreeHelper } from '../../../core/process/tree/tree-helper.ts';
import { BlobStore } from '../store/blob-store.ts';
import type { Content } from '../tree/segment.ts';
import { IncomingContents } from './contents.ts';
import { OWN, openEngine, TREE_PROGRAM } from './tree.fixture.ts';

/** Around the ends of blocks (64 bytes), of the padding (56), of batches (256 KiB) and of pieces, long beside short. */
const SIZES = [
  ...Array.from({ length: 200 }, (_, size) => size),
  ...[-65, -64, -1, 0, 1, 63, 64, 65].flatMap((more) => [256 * 1024 + more, 700 - more]),
  ...[-65, 0, 1].flatMap((more) => [PIECE_BYTES + more, 900 - more]),
  2 * PIECE_BYTES + 700_001,
];
const HAS_INSTRUCTIONS = TREE_PROGRAM.isThere && readFileSync('/proc/cpuinfo', 'utf8').includes(' sha_ni ');
const BYTES = randomBytes(3 * PIECE_BYTES);

function bytesOf(size: number): Buffer {
  const from = size % 1009;
  return BYTES.subarray(from, from + size);
}

function digestsOf(bytes: Buffer): string[] {
  return Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, index) =>
    createHash('sha256')
      .update(bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES))
      .digest()
      .toString('latin1'),
  );
}

describe.runIf(TREE_PROGRAM.isThere)('contents', () => {
  test.for([true, false])('each piece has the hash of its bytes, with the instructions for it: %s', async (hashes) => {
    await using directory = await tempDir();
    const root = join(directory.path, 'root');
    mkdirSync(root);
    for (const size of SIZES) writeFileSync(join(root, `${size}`), bytesOf(size));
    const sparse = openSync(join(root, 'sparse'), 'w');
    ftruncateSync(sparse, 3 * PIECE_BYTES);
    for (const at of [4096, PIECE_BYTES, 2 * PIECE_BYTES]) writeSync(sparse, bytesOf(5000), 0, 5000, at);
    closeSync(sparse);
    using store = new BlobStore(directory.path);
    using incoming = new IncomingContents(directory.path, store);
    await using helper = new TreeHelper(TREE_PROGRAM.path, incoming.descriptor);
    const bounds = { withheld: [], maxEntries: 1000, maxStored: 1024 ** 3, hashes };
    await helper.open({ account: undefined, root: Buffer.from(root), temporaryName: '.part', ...bounds });
    const taken: Content[] = [];
    const digests: (string | undefined)[] = [];
    await helper.read([...SIZES.map(String), 'sparse'], (index, content) => {
      digests.push(...content.digests);
      taken[index] = incoming.take({ ...content, entrySize: SIZES[index] ?? 3 * PIECE_BYTES, isRacy: false });
    });
    expect(digests.every((digest) => (digest !== undefined) === (hashes && HAS_INSTRUCTIONS))).toBe(true);
    const pieces = taken.map((content) => content.pieces);
    expect(pieces.slice(0, -1)).toEqual(SIZES.map((size) => digestsOf(bytesOf(size))));
    expect(taken.at(-1)?.extents?.length).toBe(3);
    const data = Buffer.concat(
      taken.at(-1)?.extents?.map(({ length }) => Buffer.concat([bytesOf(5000)], length)) ?? [],
    );
    expect(pieces.at(-1)).toEqual(digestsOf(data));
  });

  test('contents beyond the bound of the store are told as that, whatever was read before them', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'root');
    mkdirSync(root);
    for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), bytesOf(name === 'c' ? 128 * 1024 : 100));
    using engine = openEngine(join(directory.path, 'store'), 64 * 1024);
    await expect(engine.create({ ...OWN, root: Buffer.from(root) })).rejects.toMatchObject({ kind: 'capacity' });
  });
});
