import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Logger } from '@sandbox/program/logger.ts';
import { readSmallFile, versionOf } from '../files/small-file.ts';

/** Files of the directory that are read, in the order of their names. */
const MAX_FILES = 256;
const MAX_FILE_BYTES = 1024 * 1024;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables by name. */
export type EnvFileVariables = Readonly<Record<string, string>>;

/**
 * A directory of environment files, read again when one was changed. A file `*.env` has lines `NAME=value`; a file
 * with the name of a variable has its value, as in a mounted Kubernetes secret. Other names are left out.
 */
export class EnvDirectory {
  readonly #path: string;
  readonly #logger: Logger;
  #version = '';
  #variables: EnvFileVariables = {};

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** The same object as long as nothing changed. What cannot be read is logged and left out. */
  current(): EnvFileVariables {
    const files = this.#files();
    const version = files.map((file) => `${file} ${this.#versionOf(file)}`).join('\n');
    if (version !== this.#version) {
      this.#version = version;
      this.#variables = Object.assign({}, ...files.map((file) => this.#read(file)));
    }
    return this.#variables;
  }

  #files(): string[] {
    try {
      const names = readdirSync(this.#path).filter((name) => name.endsWith('.env') || VARIABLE.test(name));
      return names.sort().slice(0, MAX_FILES);
    } catch {
      return [];
    }
  }

  #versionOf(file: string): string | undefined {
    try {
      return versionOf(join(this.#path, file));
    } catch {
      return undefined;
    }
  }

  #read(file: string): EnvFileVariables {
    try {
      const text = readSmallFile(join(this.#path, file), MAX_FILE_BYTES);
      const read = file.endsWith('.env') ? parseEnv(text) : { [file]: text.replace(/\r?\n$/, '') };
      return Object.fromEntries(
        Object.entries(read).filter((entry): entry is [string, string] => !entry[1]?.includes('\0')),
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#logger.warn({ file, reason }, 'an environment file is left out');
      return {};
    }
  }
}
