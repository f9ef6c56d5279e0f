import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { BUILT_DIRECTORY } from '@sandbox/program/built-directory.ts';
import { nameOfErrno } from '../errno-name.ts';
import { type FilePath, shownPath } from './file-path.ts';

/** `program/native/file-attributes.c`: a number is that of an error; 0: no error. */
interface Addon {
  list(path: Buffer): Buffer | number;
  get(path: Buffer, name: Buffer): Buffer | number;
  set(descriptor: number, name: Buffer, value: Buffer): number;
}

/** Extended attributes of files (xattr(7)); links are not followed. Errors have `code`, as those of `node:fs`. */
export interface ExtendedAttributes {
  /** @returns names; none if the file system has no attributes */
  names(path: FilePath): readonly string[];
  /** @returns undefined if the file has no attribute of that name */
  value(path: FilePath, name: string): Buffer | undefined;
  set(descriptor: number, name: string, value: Buffer): void;
}

let loaded: ExtendedAttributes | null | undefined;

/** Undefined if the addon was not built: without a C compiler, or on another system than Linux. */
export function extendedAttributes(): ExtendedAttributes | undefined {
  loaded ??= load() ?? null;
  return loaded ?? undefined;
}

function load(): ExtendedAttributes | undefined {
  let addon: Addon;
  try {
    addon = createRequire(import.meta.url)(join(BUILT_DIRECTORY, 'file-attributes.node')) as Addon;
  } catch {
    return undefined;
  }
  return {
    names: (path) => {
      const names = addon.list(withNul(path));
      if (typeof names !== 'number') return names.toString().split('\0').slice(0, -1);
      if (names === constants.errno.ENOTSUP) return [];
      throw failureOf(names, `the attributes of ${shownPath(path)} cannot be listed`);
    },
    value: (path, name) => {
      const value = addon.get(withNul(path), withNul(name));
      if (typeof value !== 'number') return value;
      if (value === constants.errno.ENODATA) return undefined;
      throw failureOf(value, `the attribute ${name} of ${shownPath(path)} cannot be read`);
    },
    set: (descriptor, name, value) => {
      const errno = addon.set(descriptor, withNul(name), value);
      if (errno !== 0) throw failureOf(errno, `the attribute ${name} cannot be set`);
    },
  };
}

function withNul(text: FilePath): Buffer {
  return Buffer.concat([Buffer.from(text), Buffer.of(0)]);
}

function failureOf(errno: number, message: string): Error {
  const code = nameOfErrno(errno);
  return Object.assign(new Error(`${message} (${code})`), { code, errno: -errno });
}
