import { futimesSync, lutimesSync, utimesSync } from 'node:fs';
import type { FilePath } from '../../../core/files/file-path.ts';

/** What is open gets the times, in seconds of Unix. */
export function setDescriptorTime(descriptor: number, modified: number, accessed = modified): void {
  futimesSync(descriptor, timeOf(accessed), timeOf(modified));
}

/** What is at the path gets the times, in seconds of Unix; a link is followed. */
export function setTime(path: FilePath, modified: number, accessed = modified): void {
  utimesSync(path, timeOf(accessed), timeOf(modified));
}

/** What is at the path gets the times, in seconds of Unix, also where it is a link. */
export function setLinkTime(path: FilePath, modified: number, accessed = modified): void {
  lutimesSync(path, timeOf(accessed), timeOf(modified));
}

/** Node takes a negative number for the present, and a text for what it says. */
function timeOf(seconds: number): number | string {
  return seconds < 0 ? String(seconds) : seconds;
}
