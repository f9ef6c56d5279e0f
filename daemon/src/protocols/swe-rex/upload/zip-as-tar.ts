import { BLOCK, fits, type Header, writeHeader } from '../../../core/files/tar/tar-header.ts';
import { contentOf, type ReadRange, readEntries, type ZipEntry } from './zip-entries.ts';

const PIECE_BYTES = 256 * 1024;

/** A zip as a tar (POSIX.1-2024 ustar, GNU's form of long names), which the import of archives judges. */
export async function* zipAsTar(read: ReadRange, length: number): AsyncGenerator<Buffer> {
  for (const entry of await readEntries(read, length)) {
    if (!fits(entry.name)) {
      const name = Buffer.concat([entry.name, Buffer.from([0])]);
      yield headerOf({ name: Buffer.from('././@LongLink'), type: 'L', mode: 0o644, size: name.length });
      yield padded(name);
    }
    const { name, mode } = entry;
    if (entry.isDirectory) {
      yield headerOf({ name, type: '5', mode, size: 0 });
      continue;
    }
    yield headerOf({ name, type: '0', mode, size: entry.size });
    yield* contentWithPadding(entry, read);
  }
  yield Buffer.alloc(2 * BLOCK);
}

async function* contentWithPadding(entry: ZipEntry, read: ReadRange): AsyncGenerator<Buffer> {
  yield* contentOf(entry, read, PIECE_BYTES);
  yield Buffer.alloc((BLOCK - (entry.size % BLOCK)) % BLOCK);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

function headerOf(fields: Pick<Header, 'name' | 'type' | 'mode' | 'size'>): Buffer {
  const block = Buffer.alloc(BLOCK);
  const mtime = Math.floor(Date.now() / 1000);
  writeHeader(block, { ...fields, link: Buffer.alloc(0), uid: 0, gid: 0, mtime });
  return block;
}
