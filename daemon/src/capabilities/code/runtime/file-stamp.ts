import { statSync } from 'node:fs';

/** What changes when a file is replaced or written, or a directory gets another entry; `-` if none exists. */
export function stampOf(path: string): string {
  try {
    const { ino, mtimeMs } = statSync(path);
    return `${ino}:${mtimeMs}`;
  } catch {
    return '-';
  }
}
