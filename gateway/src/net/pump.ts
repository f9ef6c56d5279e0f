import type { Readable, Writable } from 'node:stream';
import { releaseBuffer } from '@sandbox/program/release-buffer.ts';

/**
 * Like `from.pipe(to)`, but frees the memory of each chunk after the write, so no other code may hold the chunks.
 * Removing the `data` listener of `from` stops it.
 */
export function pump(from: Readable, to: Writable): void {
  const onData = (piece: Buffer): void => {
    if (!to.write(piece, () => releaseBuffer(piece))) from.pause();
  };
  from.on('data', onData);
  from.on('end', () => to.end());
  to.on('drain', () => {
    if (from.listeners('data').includes(onData)) from.resume();
  });
  to.on('close', () => {
    from.off('data', onData);
    from.pause();
  });
}
