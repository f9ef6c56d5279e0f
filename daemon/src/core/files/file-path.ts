import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { invalidPath } from './file-failure.ts';

/** A path or a name as the system takes it: text, or its bytes where they are not UTF-8. */
export type FilePath = string | Buffer;

/** How a path goes over the wire: as text, or exactly in base64. */
export interface PathInput {
  readonly path?: string | undefined;
  /** Wins over `path`. */
  readonly base64?: string | undefined;
}

const SLASH = 0x2f;

/**
 * The absolute path that a caller means. `..` and symlinks are the system's to resolve: nothing is confined.
 * @throws FileFailure `invalid_path` for an empty or relative one, for `~`, and for one with a NUL
 */
export function absolutePath({ path = '', base64 }: PathInput, operation: string): FilePath {
  const given = base64 === undefined ? path : pathOfBytes(Buffer.from(base64, 'base64'));
  const shown = shownPath(given);
  if (given.length === 0) throw invalidPath('path is empty', operation, shown);
  if (hasNul(given)) throw invalidPath('path contains NUL', operation, shown);
  if (!isAbsolute(given)) throw invalidPath(`path is not absolute: ${shown}`, operation, shown);
  return given;
}

/** Text if the bytes are UTF-8, else the bytes. */
export function pathOfBytes(bytes: Buffer): FilePath {
  return isUtf8(bytes) ? bytes.toString('utf8') : bytes;
}

/** ASCII text, which needs no conversion to bytes. */
function isPlainAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** A character a byte. */
export function latin1Of(path: FilePath): string {
  return typeof path === 'string' && isPlainAscii(path) ? path : bytesOfPath(path).toString('latin1');
}

/** What `latin1Of` gave. */
export function pathOfLatin1(text: string): FilePath {
  return isPlainAscii(text) ? text : pathOfBytes(Buffer.from(text, 'latin1'));
}

/** Percent-encoded bytes (RFC 3986 §2.1), decoded once. */
export function pathOfEncoded(encoded: string): FilePath {
  const text = encoded.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return pathOfLatin1(text);
}

export function bytesOfPath(path: FilePath): Buffer {
  return typeof path === 'string' ? Buffer.from(path) : path;
}

/** The path as text; bytes that are not UTF-8 show as U+FFFD. */
export function shownPath(path: FilePath): string {
  return typeof path === 'string' ? path : path.toString('utf8');
}

/** The exact bytes in base64, of a path that `shownPath` does not give exactly. */
export function exactPath(path: FilePath): string | undefined {
  return typeof path === 'string' ? undefined : path.toString('base64');
}

/** `name` in `directory`; nothing is resolved. */
export function joinPath(directory: FilePath, name: FilePath): FilePath {
  if (typeof directory === 'string' && typeof name === 'string') {
    return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
  }
  const parent = bytesOfPath(directory);
  return pathOfBytes(Buffer.concat([parent, Buffer.from(parent.at(-1) === SLASH ? '' : '/'), bytesOfPath(name)]));
}

/** What the path lies in, by its text alone; `/` for `/`. */
export function parentOf(path: FilePath): FilePath {
  const trimmed = withoutTrailingSlashes(path);
  const at = lastSlash(trimmed);
  return at <= 0 ? '/' : withoutTrailingSlashes(part(trimmed, 0, at));
}

/** The last part of the path; empty for `/`. */
export function nameOf(path: FilePath): FilePath {
  const trimmed = withoutTrailingSlashes(path);
  return part(trimmed, lastSlash(trimmed) + 1, trimmed.length);
}

export function withoutTrailingSlashes(path: FilePath): FilePath {
  let end = path.length;
  while (end > 1 && (path[end - 1] === '/' || path[end - 1] === SLASH)) end -= 1;
  return end === path.length ? path : part(path, 0, end);
}

export function samePath(a: FilePath, b: FilePath): boolean {
  return typeof a === 'string' || typeof b === 'string' ? a === b : a.equals(b);
}

/** Whether `path` is `directory` or lies in it, by their text alone. */
export function isWithin(path: FilePath, directory: FilePath): boolean {
  const [inner, outer] = [bytesOfPath(withoutTrailingSlashes(path)), bytesOfPath(withoutTrailingSlashes(directory))];
  if (!inner.subarray(0, outer.length).equals(outer)) return false;
  return inner.length === outer.length || outer.at(-1) === SLASH || inner[outer.length] === SLASH;
}

/** Every name in a directory, unsorted. A name with U+FFFD may stand for other bytes, so these are asked for again. */
export async function namesIn(directory: FilePath): Promise<FilePath[]> {
  const names = await readdir(directory);
  return names.some(isDoubtful) ? (await readdir(directory, { encoding: 'buffer' })).map(pathOfBytes) : names;
}

export function namesInSync(directory: FilePath): FilePath[] {
  const names = readdirSync(directory);
  return names.some(isDoubtful) ? readdirSync(directory, { encoding: 'buffer' }).map(pathOfBytes) : names;
}

export interface DirectoryEntry {
  readonly name: FilePath;
  /** As the directory reports it; `other` for FIFOs, sockets and devices. */
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
}

/** Every entry of a directory, sorted by the bytes of its name. */
export function entriesInSync(directory: FilePath): DirectoryEntry[] {
  const found: Dirent<FilePath>[] = readdirSync(directory, { withFileTypes: true });
  const isExact = !found.some(({ name }) => isDoubtful(shownPath(name)));
  const entries = isExact ? found : readdirSync(directory, { withFileTypes: true, encoding: 'buffer' });
  return entries
    .map((entry) => ({
      name: typeof entry.name === 'string' ? entry.name : pathOfBytes(entry.name),
      kind: kindOf(entry),
    }))
    .sort((a, b) => comparePaths(a.name, b.name));
}

function kindOf(entry: Dirent<FilePath>): DirectoryEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

/** Sorts by bytes, in place; names that are plain text all of them need no comparison of ours. */
export function sortPaths(paths: FilePath[]): FilePath[] {
  return paths.every((path) => typeof path === 'string' && isPlain(path)) ? paths.sort() : paths.sort(comparePaths);
}

/** By bytes, which for text is the order of code points. */
export function comparePaths(a: FilePath, b: FilePath): number {
  if (typeof a === 'string' && typeof b === 'string' && isPlain(a) && isPlain(b)) return a < b ? -1 : Number(a > b);
  return Buffer.compare(bytesOfPath(a), bytesOfPath(b));
}

function isDoubtful(name: string): boolean {
  return name.includes('\ufffd');
}

/** Without surrogates, UTF-16 sorts as UTF-8 does. */
function isPlain(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

function isAbsolute(path: FilePath): boolean {
  return path[0] === '/' || path[0] === SLASH;
}

function hasNul(path: FilePath): boolean {
  return typeof path === 'string' ? path.includes('\0') : path.includes(0);
}

function lastSlash(path: FilePath): number {
  return typeof path === 'string' ? path.lastIndexOf('/') : path.lastIndexOf(SLASH);
}

function part(path: FilePath, from: number, to: number): FilePath {
  return typeof path === 'string' ? path.slice(from, to) : pathOfBytes(path.subarray(from, to));
}
