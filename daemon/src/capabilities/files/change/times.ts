import { futimesSync, lutimesSync, utimesSync } from 'node:fs';
import type { FilePath } from '../../../core/files/file-path.ts';

/** Sets the times of an open file, in seconds since 1970. */
export function setDescriptorTime(descriptor: number, modified: number, accessed = modified): void {
  futimesSync(descriptor, timeOf(accessed), timeOf(modified));
}

/** Sets the times of the file at the path, in seconds since 1970; a link is followed. */
export function setTime(path: FilePath, modified: number, accessed = modified): void {
  utimesSync(path, timeOf(accessed), timeOf(modified));
}

/** Sets the times of the entry at the path, in seconds since 1970; a link is not followed. */
export function setLinkTime(path: FilePath, modified: number, accessed = modified): void {
  lutimesSync(path, timeOf(accessed), timeOf(modified));
}

/** Node takes a negative number as the current time, but a string as its value. */
function timeOf(seconds: number): number | string {
  return seconds < 0 ? String(seconds) : seconds;
}
