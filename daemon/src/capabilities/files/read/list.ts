import { lstatSync, type Stats, statSync } from 'node:fs';
import { isConfined, requireConfined } from '../../../core/access/caller.ts';
import { GrowingWork } from '../../../core/answers/answer-hold.ts';
import { badRequest } from '../../../core/files/file-failure.ts';
import {
  bytesOfPath,
  comparePaths,
  type FilePath,
  joinPath,
  namesIn,
  pathOfBytes,
  shownPath,
  sortPaths,
  withoutTrailingSlashes,
} from '../../../core/files/file-path.ts';
import { HeldDirectory } from '../../../core/files/place/held-directory.ts';
import { Unread, type UnreadCounts } from '../../../core/files/walk/unread.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { isHidden } from '../names.ts';

/** Entries in one answer. */
export const LIST_MAX = 10_000;

/** Bytes of an entry in memory and in JSON, its path excluded. */
const ENTRY_BYTES = 600;

export interface ListRequest {
  readonly path: FilePath;
  readonly recursive: boolean;
  /** 1: the directory's own entries; unset: no limit. */
  readonly maxDepth?: number | undefined;
  readonly showHidden: boolean;
  /** The end of the previous page. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly includes?: ((entry: ListEntry) => boolean) | undefined;
}

export interface ListEntry {
  readonly name: FilePath;
  readonly path: FilePath;
  /** Of the entry itself, not of the target of a link. */
  readonly stats: Stats;
  /** Also for a link to a directory. */
  readonly isDirectory: boolean;
}

export interface Listing {
  readonly entries: ListEntry[];
  /** Undefined on the last page. */
  readonly cursor: string | undefined;
  /** Entries that could not be read, and directories whose entries could not. */
  readonly unread: UnreadCounts | undefined;
}

/**
 * Entries in the order of their names, each directory before its entries. Links are not descended into, and a
 * directory below the root that cannot be read is listed without its entries and counted.
 */
export async function listDirectory(request: ListRequest): Promise<Listing> {
  const after = request.cursor === undefined ? [] : partsOfCursor(request.cursor, request.path);
  const depth = request.recursive ? (request.maxDepth ?? Number.POSITIVE_INFINITY) : 1;
  using work = new GrowingWork();
  const collected = new Collector(request, work);
  const isWhole = await collected.walk(withoutTrailingSlashes(request.path), depth, after, []);
  const { entries, last, unread } = collected;
  return { entries, cursor: isWhole ? undefined : cursorOf(last), unread: unread.counts };
}

class Collector {
  readonly entries: ListEntry[] = [];
  /** Names from the root of the list to the last listed entry. */
  last: readonly FilePath[] = [];
  readonly unread = new Unread();
  readonly #request: ListRequest;
  readonly #work: GrowingWork;

  constructor(request: ListRequest, work: GrowingWork) {
    this.#request = request;
    this.#work = work;
  }

  /** @param after names of the entry to continue after. Returns false if there are more entries than the limit. */
  async walk(
    directory: FilePath,
    depth: number,
    [first, ...below]: readonly FilePath[],
    above: readonly FilePath[],
  ): Promise<boolean> {
    const names = sortPaths(await this.#namesIn(directory, above.length > 0));
    for (const name of names) {
      const order = first === undefined ? 1 : comparePaths(name, first);
      if (order < 0 || this.#isLeftOut(name)) continue;
      const after = order === 0 ? below : undefined;
      const visited = this.#visit(this.#lookAt(directory, name), depth, after, above);
      if (!(typeof visited === 'boolean' ? visited : await visited)) return false;
      if (isTurnSpent()) await yieldToEventLoop();
    }
    return true;
  }

  /** @param after the last listed entry below this one, if a page ended in it */
  #visit(
    entry: ListEntry | undefined,
    depth: number,
    after: readonly FilePath[] | undefined,
    above: readonly FilePath[],
  ): boolean | Promise<boolean> {
    if (entry === undefined) return true;
    const parts = [...above, entry.name];
    if (after === undefined && !this.#take(entry, parts)) return false;
    if (depth <= 1 || !entry.stats.isDirectory()) return true;
    return this.walk(entry.path, depth - 1, after ?? [], parts);
  }

  async #namesIn(directory: FilePath, mayFail: boolean): Promise<FilePath[]> {
    try {
      return isConfined() ? await confinedNamesIn(directory) : await namesIn(directory);
    } catch (error) {
      if (!mayFail) throw error;
      this.unread.addFailure(error);
      return [];
    }
  }

  #lookAt(directory: FilePath, name: FilePath): ListEntry | undefined {
    try {
      return isConfined() ? confinedEntry(directory, name) : entryAt(directory, name, leadsToDirectory);
    } catch (error) {
      this.unread.addFailure(error);
      return undefined;
    }
  }

  #isLeftOut(name: FilePath): boolean {
    return !this.#request.showHidden && isHidden(shownPath(name));
  }

  #take(entry: ListEntry, parts: readonly FilePath[]): boolean {
    if (this.#request.includes?.(entry) === false) return true;
    if (this.entries.length === this.#request.limit) return false;
    this.#work.add(ENTRY_BYTES + 2 * entry.path.length);
    this.entries.push(entry);
    this.last = parts;
    return true;
  }
}

function entryAt(
  directory: FilePath,
  name: FilePath,
  isLinkToDirectory: (at: FilePath) => boolean,
  at = joinPath(directory, name),
): ListEntry | undefined {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const isDirectory = stats.isSymbolicLink() ? isLinkToDirectory(at) : stats.isDirectory();
  return { name, path: joinPath(directory, name), stats, isDirectory };
}

/** The directory is held, so that it is the one that was judged. */
async function confinedNamesIn(directory: FilePath): Promise<FilePath[]> {
  using held = confinedDirectory(directory);
  return await namesIn(held.base);
}

/** Another directory may have taken the name since its names were read: it is judged for each entry. */
function confinedEntry(directory: FilePath, name: FilePath): ListEntry | undefined {
  using held = confinedDirectory(directory);
  return entryAt(directory, name, leadsToConfined, held.at(name));
}

function confinedDirectory(path: FilePath): HeldDirectory {
  const held = HeldDirectory.open(path, { follow: true });
  try {
    requireConfined(() => held.path, 'read');
    return held;
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}

/** A link out of the directories of the request leads nowhere. */
function leadsToConfined(path: FilePath): boolean {
  try {
    using _held = confinedDirectory(path);
    return true;
  } catch {
    return false;
  }
}

function leadsToDirectory(path: FilePath): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

function cursorOf(parts: readonly FilePath[]): string {
  const bytes = parts.flatMap((part, index) => [...(index === 0 ? [] : [Buffer.from('/')]), bytesOfPath(part)]);
  return Buffer.concat(bytes).toString('base64url');
}

function partsOfCursor(cursor: string, path: FilePath): FilePath[] {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length === 0 || bytes.toString('base64url') !== cursor) {
    throw badRequest('cursor is invalid', 'list', shownPath(path), 'give the cursor of the list before');
  }
  return bytes
    .toString('latin1')
    .split('/')
    .map((part) => pathOfBytes(Buffer.from(part, 'latin1')));
}
