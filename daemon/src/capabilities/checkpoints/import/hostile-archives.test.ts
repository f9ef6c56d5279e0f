import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { BLOCK } from '../../../core/files/tar/tar-header.ts';
import type { Engine } from '../engine/engine.ts';
import { OWN, openEngine, TREE_PROGRAM } from '../engine/tree.fixture.ts';
import { entry, pax } from './import.fixture.ts';
import { importArchive } from './import-archive.ts';

const MIB = 1024 ** 2;
const END = Buffer.alloc(2 * BLOCK);

function sparse(size: number | string, map: string, data = ''): Buffer {
  const body = Buffer.concat([
    Buffer.from(map),
    Buffer.alloc((BLOCK - (map.length % BLOCK)) % BLOCK),
    Buffer.from(data),
  ]);
  const records = ['GNU.sparse.major', '1', 'GNU.sparse.minor', '0', 'GNU.sparse.realsize', `${size}`];
  return Buffer.concat([pax('GNU.sparse.name', 'holes', ...records), entry({ name: 'other', body })]);
}

const file = entry({ name: 'file', body: 'content' });
const deep = (first: string): Buffer => pax('path', `${first}/${'d/'.repeat(2000)}f`);
const manyDirectories = Array.from({ length: 500 }, (_, index) => [deep(`${index}`), entry({ name: 'long' })]).flat();

const INVALID: Readonly<Record<string, readonly Buffer[]>> = {
  'no archive': [Buffer.alloc(4 * BLOCK, 'x')],
  'a header that is cut': [file.subarray(0, 300)],
  'a body that is cut': [entry({ name: 'file', size: 100_000 })],
  'gzip that is cut': [gzipSync(Buffer.concat([file, END])).subarray(0, -20)],
  'another compression': [Buffer.from('fd377a585a000000000000', 'hex')],
  'a name with ..': [entry({ name: 'a/../../b' })],
  'an absolute name': [entry({ name: '/etc/passwd' })],
  'a file without a name': [entry({ name: './' }), entry({ name: '.', type: '2', link: 'x' })],
  'a name that is too long': [pax('path', `${'a/'.repeat(2047)}ab`), entry({ name: 'long' })],
  'one path for two files': [file, file],
  'a file and a directory of one path': [file, entry({ name: 'file', type: '5' })],
  'a directory and a file of one path': [entry({ name: 'file/', type: '5' }), file],
  'a file below a file': [file, entry({ name: 'file/below' })],
  'a file below a link': [entry({ name: 'link', type: '2', link: '/' }), entry({ name: 'link/below' })],
  'a hard link to nothing': [entry({ name: 'hard', type: '1', link: 'later' }), entry({ name: 'later' })],
  'a hard link to itself': [entry({ name: 'hard', type: '1', link: 'hard' })],
  'a hard link out': [entry({ name: 'hard', type: '1', link: '../out' })],
  'a hard link to a directory': [entry({ name: 'd', type: '5' }), entry({ name: 'hard', type: '1', link: 'd' })],
  'a link without a target': [entry({ name: 'link', type: '2' })],
  'an unknown type': [entry({ name: 'file', type: 'Q' })],
  'an old sparse file': [entry({ name: 'file', type: 'S' })],
  'another sparse format': [pax('GNU.sparse.map', '0,1', 'GNU.sparse.size', '1'), file],
  'a map with fewer bytes': [sparse(1000, '1\n0\n2\n', 'xxx')],
  'a map with more bytes': [sparse(1000, '1\n0\n4\n', 'xxx')],
  'a map that goes back': [sparse(1000, '2\n10\n1\n5\n2\n', 'xxx')],
  'a map beyond the size': [sparse(10, '1\n9\n3\n', 'xxx')],
  'a map without its end': [sparse(10, '3\n0\n1\n', '')],
  'a map of letters': [sparse(10, 'a\n', '')],
  'a map with a long line': [sparse(10, '9'.repeat(2000), '')],
  'a map with too many parts': [sparse(10, `99999\n${'0\n0\n'.repeat(99_999)}`, '')],
  'a size that is no number': [sparse('1e3', '0\n', '')],
  'a size beyond all disks': [sparse('9007199254740993', '0\n', '')],
  'sizes that are together beyond all numbers': [
    sparse('9007199254740991', '0\n', ''),
    entry({ name: 'hard', type: '1', link: 'holes' }),
  ],
  'a time that is no number': [pax('mtime', 'now'), file],
  'a time beyond nanoseconds': [pax('mtime', '99999999999'), file],
  'an owner that no account has': [pax('uid', '4294967295'), file],
  'an owner with a fraction': [pax('gid', '1.5'), file],
  'an attribute without a name that fits': [pax(`SCHILY.xattr.user.${'n'.repeat(300)}`, 'v'), file],
  'headers over 8 MiB': [pax('comment', 'x'.repeat(9 * MIB)), file],
  'labels of volumes without an end': Array.from({ length: 101 }, () => entry({ name: 'label', type: 'V' })),
};

const TOO_LARGE: Readonly<Record<string, readonly Buffer[]>> = {
  'attributes over 256 KiB': [pax('SCHILY.xattr.user.large', 'x'.repeat(300 * 1024)), file],
  'a million directories by their names': manyDirectories,
  'attributes over 256 MiB': Array.from({ length: 1200 }, (_, index) => [
    pax('SCHILY.xattr.user.large', 'x'.repeat(240 * 1024)),
    entry({ name: `${index}` }),
  ]).flat(),
  'a body over 4 GiB by its header': [entry({ name: 'file', size: 5 * 1024 ** 3 })],
};

/** What the engine makes of an archive, and whether the store is as before. */
async function importedBy(
  engine: Engine,
  directory: string,
  blocks: readonly Buffer[],
  signal?: AbortSignal,
): Promise<unknown> {
  const path = join(directory, 'archive');
  const all = Buffer.concat([...blocks, ...(blocks.length > 0 ? [END] : [])]);
  writeFileSync(path, all.length > MIB ? gzipSync(all, { level: 1 }) : all);
  const descriptor = openSync(path, 'r');
  try {
    const task = { ...OWN, root: Buffer.from(directory), owner: { uid: 0, gid: 0 }, takesPrivileges: true };
    return await engine.importArchive({ ...task, file: descriptor }, signal);
  } finally {
    closeSync(descriptor);
  }
}

function stateOf(engine: Engine, store: string): unknown {
  return [engine.bytes, engine.records.map(({ id }) => id), readdirSync(store), readdirSync(join(store, 'packs'))];
}

describe.runIf(TREE_PROGRAM.isThere)('hostile archives', () => {
  test('[checkpoint.import] they are refused with the field, and leave nothing', async () => {
    await using directory = await tempDir();
    const [store, root] = ['store', 'tree'].map((name) => join(directory.path, name)) as [string, string];
    mkdirSync(root);
    writeFileSync(join(root, 'kept'), 'kept');
    using engine = openEngine(store);
    await engine.create({ ...OWN, root: Buffer.from(root) });
    const state = stateOf(engine, store);
    for (const [kind, archives] of [
      ['invalid', INVALID],
      ['too_large', TOO_LARGE],
    ] as const) {
      for (const [name, blocks] of Object.entries(archives)) {
        const first = entry({ name: 'first', body: name });
        const refused = await importedBy(engine, directory.path, [first, ...blocks]).catch((error: unknown) => error);
        expect({ name, refused }).toMatchObject({ name, refused: { kind, details: { field: 'body' } } });
        expect({ name, state: stateOf(engine, store) }).toEqual({ name, state });
      }
    }
    const nothing = importedBy(engine, directory.path, []);
    await expect(nothing).rejects.toMatchObject({ kind: 'invalid', details: { field: 'body' } });
  }, 120_000);

  test('[checkpoint.import] a store that is full refuses an archive and keeps what it has', async () => {
    await using directory = await tempDir();
    const store = join(directory.path, 'store');
    using engine = openEngine(store, 3 * MIB);
    await importedBy(engine, directory.path, [file]);
    const state = stateOf(engine, store);
    const large = Array.from({ length: 8 }, (_, index) => entry({ name: `${index}`, body: randomBytes(MIB) }));
    await expect(importedBy(engine, directory.path, large)).rejects.toMatchObject({ kind: 'capacity' });
    expect(stateOf(engine, store)).toEqual(state);
    expect(await importedBy(engine, directory.path, [file])).toMatchObject({ files: 1 });
  });

  test('[checkpoint.import] the import of a caller that has left ends and leaves nothing', async () => {
    await using directory = await tempDir();
    const store = join(directory.path, 'store');
    using engine = openEngine(store);
    await importedBy(engine, directory.path, [file]);
    const state = stateOf(engine, store);
    const leaving = new AbortController();
    const large = Array.from({ length: 64 }, (_, index) => entry({ name: `${index}`, body: randomBytes(MIB) }));
    const importing = importedBy(engine, directory.path, large, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(importing).rejects.toThrow('left');
    expect(stateOf(engine, store)).toEqual(state);
  });

  test('[checkpoint.import] what gzip unpacks is bounded', async () => {
    await using directory = await tempDir();
    const path = join(directory.path, 'archive');
    writeFileSync(path, gzipSync(entry({ name: 'zeros', body: Buffer.alloc(64 * MIB) })));
    const descriptor = openSync(path, 'r');
    const terms = { owner: { uid: 0, gid: 0 }, takesPrivileges: true, put: () => 'x'.repeat(32), signal: undefined };
    await expect(importArchive(descriptor, { ...terms, bytesMax: 16 * MIB })).rejects.toMatchObject({
      kind: 'too_large',
    });
    closeSync(descriptor);
  });
});
