import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';

/** Names the content of a path: another one where the file was changed or replaced; undefined if none exists. */
export function versionOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

/**
 * The text of a regular file of at most `maxBytes`.
 * @throws Error if it cannot be read, is not a regular file, or is larger
 */
export function readSmallFile(path: string, maxBytes: number): string {
  // A FIFO without a writer would block a plain open(2).
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('it is not a regular file');
    if (stat.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
