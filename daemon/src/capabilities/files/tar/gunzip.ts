import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TarFault } from './tar-fault.ts';

/** Undoes gzip where the bytes begin as it does (RFC 1952 §2.3.1), whatever their sender calls them. */
export async function* gunzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  const head: Buffer[] = [];
  let length = 0;
  while (length < 2) {
    const { done, value } = await iterator.next();
    if (done) break;
    head.push(value);
    length += value.length;
  }
  const first = Buffer.concat(head);
  const all = withFirst(first, iterator);
  yield* first[0] === 0x1f && first[1] === 0x8b ? expanded(all) : all;
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
