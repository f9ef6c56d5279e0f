import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Logger } from '@sandbox/program/logger.ts';
import { readSmallFile, versionOf } from '../files/small-file.ts';
import { STRING_BYTES, stringBytes } from '../process/exec-limits.ts';

/** Files of the directory that are read, in the order of their names. */
const MAX_FILES = 256;
/** Lines of the log about one state of the directory. */
const MAX_LOGGED = 10;
const MAX_FILE_BYTES = 1024 * 1024;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Bytes of all variables of the directory; a claim may set as many, and a process takes about 2 MiB. */
const MAX_BYTES = 1024 * 1024;

/** Variables by name. */
export type EnvFileVariables = Readonly<Record<string, string>>;

/** Something of the directory that no process gets, and why. */
export interface LeftOut {
  readonly file: string;
  readonly variable?: string;
  readonly reason: string;
}

/** What the directory has. A later file wins over an earlier one. */
export function readEnvDirectory(path: string): { readonly variables: EnvFileVariables; readonly leftOut: LeftOut[] } {
  const variables = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  let total = 0;
  for (const file of filesIn(path)) {
    try {
      for (const [name, value] of variablesIn(path, file)) {
        const bytes = stringBytes(name, value);
        const before = variables.get(name);
        const after = total + bytes - (before === undefined ? 0 : stringBytes(name, before));
        const reason = reasonOf(value, bytes, after);
        if (reason !== undefined) leftOut.push({ file, variable: name.slice(0, 200), reason });
        else {
          variables.set(name, value);
          total = after;
        }
      }
    } catch (error) {
      leftOut.push({ file, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { variables: Object.fromEntries(variables), leftOut };
}

function variablesIn(path: string, file: string): [string, string][] {
  const text = readSmallFile(join(path, file), MAX_FILE_BYTES);
  const read = file.endsWith('.env') ? parseEnv(text) : { [file]: text.replace(/\r?\n$/, '') };
  return Object.entries(read).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** Why a variable is left out; undefined for one that a process can have. */
function reasonOf(value: string, bytes: number, total: number): string | undefined {
  if (value.includes('\0')) return 'it has a NUL';
  if (bytes > STRING_BYTES) return `it has ${bytes} bytes, the kernel takes ${STRING_BYTES}`;
  if (total > MAX_BYTES) return `the variables of the directory are over ${MAX_BYTES} bytes with it`;
  return undefined;
}

function filesIn(path: string): string[] {
  try {
    const names = readdirSync(path).filter((name) => name.endsWith('.env') || VARIABLE.test(name));
    return names.sort().slice(0, MAX_FILES);
  } catch {
    return [];
  }
}

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

  /** The same object as long as nothing changed. What cannot be read, or is too long, is logged and left out. */
  current(): EnvFileVariables {
    const version = filesIn(this.#path)
      .map((file) => `${file} ${this.#versionOf(file)}`)
      .join('\n');
    if (version !== this.#version) {
      this.#version = version;
      const { variables, leftOut } = readEnvDirectory(this.#path);
      this.#variables = variables;
      for (const what of leftOut.slice(0, MAX_LOGGED))
        this.#logger.warn(what, 'an environment file, or a variable of it, is left out');
    }
    return this.#variables;
  }

  #versionOf(file: string): string | undefined {
    try {
      return versionOf(join(this.#path, file));
    } catch {
      return undefined;
    }
  }
}
