import { futimesSync, lutimesSync, utimesSync } from 'node:fs';
import type { FilePath } from '../../core/files/file-path.ts';

/** What is open gets the time, in seconds of Unix. */
export function setDescriptorTime(descriptor: number, seconds: number): void {
  futimesSync(descriptor, timeOf(seconds), timeOf(seconds));
}

/** What is at the path gets the time, in seconds of Unix; a link is followed. */
export function setTime(path: FilePath, seconds: number): void {
  utimesSync(path, timeOf(seconds), timeOf(seconds));
}

/** A link itself gets the time, in seconds of Unix. */
export function setLinkTime(path: FilePath, seconds: number): void {
  lutimesSync(path, timeOf(seconds), timeOf(seconds));
}

/** Node takes a negative number for the present, and a text for what it says. */
function timeOf(seconds: number): number | string {
  return seconds < 0 ? String(seconds) : seconds;
}
