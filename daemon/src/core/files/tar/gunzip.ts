import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TarFault } from './tar-fault.ts';

const GZIP = Buffer.from([0x1f, 0x8b]);
/** First bytes of compressed formats that are not supported. */
const OTHERS: readonly (readonly [name: string, magic: Buffer])[] = [
  ['xz', Buffer.from('fd377a585a00', 'hex')],
  ['zstd', Buffer.from('28b52ffd', 'hex')],
  ['zip', Buffer.from('504b0304', 'hex')],
  ['bzip2', Buffer.from('425a6839314159265359', 'hex')],
];
const MAGIC_BYTES = 10;

/**
 * Decompresses gzip, recognized by its first bytes (RFC 1952 §2.3.1) and not by a header of the request.
 * @throws TarFault for another compressed format
 */
export async function* gunzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  const head: Buffer[] = [];
  let length = 0;
  while (length < MAGIC_BYTES) {
    const { done, value } = await iterator.next();
    if (done) break;
    head.push(value);
    length += value.length;
  }
  const first = Buffer.concat(head);
  const begins = (magic: Buffer): boolean => first.subarray(0, magic.length).equals(magic);
  const other = OTHERS.find(([, magic]) => begins(magic));
  if (other) throw new TarFault(`the archive is compressed by ${other[0]}: send it plain, or compressed by gzip`);
  const all = withFirst(first, iterator);
  yield* begins(GZIP) ? expanded(all) : all;
}

async function* withFirst(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* expanded(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(Readable.from(source), gunzip, () => undefined);
  try {
    for await (const piece of gunzip) yield piece;
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new TarFault(`the archive cannot be expanded: ${error.message}`);
    }
    throw error;
  }
}
