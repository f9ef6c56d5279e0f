import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

/** Compresses at the fastest level: the time matters more than the size. */
export async function* gzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1, chunkSize: 256 * 1024 });
  pipeline(Readable.from(source), gzip, () => undefined);
  for await (const piece of gzip) yield piece;
}
