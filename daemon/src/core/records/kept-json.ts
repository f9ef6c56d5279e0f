import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type RuntimeSpace, recordRefused } from './runtime-space.ts';

/** A value that a next daemon must know, as a JSON file that each change replaces. */
export class KeptJson<T> {
  readonly #space: RuntimeSpace;
  readonly #path: string;
  #value: T;

  /** @param initial the value of a file that is missing or damaged */
  constructor(space: RuntimeSpace, path: string, initial: T) {
    this.#space = space;
    this.#path = path;
    this.#value = read<T>(path) ?? initial;
  }

  get value(): T {
    return this.#value;
  }

  /** The file is first: if it cannot be written, neither changes. @throws SandboxError `disk_full`, `unavailable` */
  set(value: T): void {
    try {
      this.#space.replace(this.#path, JSON.stringify(value));
    } catch (error) {
      throw recordRefused(error, dirname(this.#path));
    }
    this.#value = value;
  }
}

function read<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
