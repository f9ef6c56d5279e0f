import { contentOf, type ReadRange, readEntries, type ZipEntry } from './zip-entries.ts';

const BLOCK = 512;
const NAME_BYTES = 100;
const PIECE_BYTES = 256 * 1024;

/** A zip as a tar (POSIX.1-2024 ustar, GNU's form of long names), which the import of archives judges. */
export async function* zipAsTar(read: ReadRange, length: number): AsyncGenerator<Buffer> {
  for (const entry of await readEntries(read, length)) {
    if (entry.name.length > NAME_BYTES) {
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

interface Header {
  readonly name: Buffer;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
}

function headerOf({ name, type, mode, size }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  name.copy(block, 0, 0, NAME_BYTES);
  const octal = (at: number, digits: number, value: number): void => {
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  };
  octal(100, 7, mode);
  octal(108, 7, 0);
  octal(116, 7, 0);
  octal(124, 11, size);
  octal(136, 11, Math.floor(Date.now() / 1000));
  block.write(type, 156, 'latin1');
  block.write('ustar  \0', 257, 'latin1');
  block.fill(0x20, 148, 156);
  octal(
    148,
    6,
    block.reduce((sum, byte) => sum + byte, 0),
  );
  block[154] = 0;
  return block;
}
