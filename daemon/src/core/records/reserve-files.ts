import { closeSync, ftruncateSync, mkdirSync, openSync, renameSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { discard } from '../files/discard.ts';
import { writeAllAt } from './replace-file.ts';

/** Bytes of a file that is set aside, the number of them, and the part of the file system that they may take. */
const BYTES = 32 * 1024;
const FILES_MAX = 8;
const PART = 1 / 16;

/**
 * Files of zeros in the runtime directory, made while it has room. On a full disk one of them becomes the file that a
 * record is written to: its blocks are overwritten, never given back, so that no other program can take them.
 */
export class ReserveFiles {
  readonly #directory: string;
  readonly #count: number;
  #isWhole = false;

  constructor(runtimeDir: string) {
    this.#directory = join(runtimeDir, 'reserve');
    this.#count = Math.max(1, Math.min(FILES_MAX, Math.floor((sizeOf(runtimeDir) * PART) / BYTES)));
    this.refill();
  }

  /** Moves one to `path`, with that size. @returns false if none is left, or none is as large */
  take(path: string, bytes: number): boolean {
    if (bytes > BYTES) return false;
    this.#isWhole = false;
    return this.#names().some((name) => {
      try {
        renameSync(name, path);
        const fd = openSync(path, 'r+');
        try {
          ftruncateSync(fd, bytes);
        } finally {
          closeSync(fd);
        }
        return true;
      } catch {
        return false;
      }
    });
  }

  /** Makes those that were taken. @returns whether half of them are there, so that what runs can be recorded */
  refill(): boolean {
    if (this.#isWhole) return true;
    const there = this.#names().filter((name) => isWhole(name) || make(this.#directory, name));
    this.#isWhole = there.length === this.#count;
    return 2 * there.length >= this.#count;
  }

  #names(): string[] {
    return Array.from({ length: this.#count }, (_, index) => join(this.#directory, String(index)));
  }
}

function isWhole(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.size === BYTES;
}

function make(directory: string, name: string): boolean {
  const fresh = `${name}.new`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const fd = openSync(fresh, 'w', 0o600);
    try {
      writeAllAt(fd, Buffer.alloc(BYTES), 0);
    } finally {
      closeSync(fd);
    }
    renameSync(fresh, name);
    return true;
  } catch {
    discard(fresh);
    return false;
  }
}

/** Bytes of the file system; infinite if the system cannot say. */
function sizeOf(directory: string): number {
  try {
    const { bsize, blocks } = statfsSync(directory);
    return blocks === 0 ? Number.POSITIVE_INFINITY : bsize * blocks;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
