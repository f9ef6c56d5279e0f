import type { Readable, Writable } from 'node:stream';
import { releaseBuffer } from '@sandbox/program/release-buffer.ts';

/**
 * As `from.pipe(to)`, for bytes that nobody else holds: their memory is freed once they are written.
 * It ends with the last listener for `data` of `from`.
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
