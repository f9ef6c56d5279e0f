import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lchownSync,
  linkSync,
  mkdirSync,
  openSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { badRequest, overCap } from '../../../core/files/file-failure.ts';
import { bytesOfPath, type FilePath, latin1Of, pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';
import type { Owner } from '../../../core/files/ownership.ts';
import { keyOf, type Parts, parentKeyOf, partsOf } from '../../../core/files/tar/names.ts';
import type { TarEntry, TarReader } from '../../../core/files/tar/read-entries.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { setDescriptorTime, setLinkTime, setTime } from '../change/times.ts';
import { writeAll, writeAtOnce } from '../write/write.ts';
import { Links } from './judge.ts';

/** Most entries of one archive. */
export const ENTRIES_MAX = 100_000;
/** Most bytes of the names and links of one archive, which are kept until its end. */
const NAMES_MAX = 32 * 1024 ** 2;
/** Most bytes of a file that is written in one piece. */
const WHOLE_BYTES = 64 * 1024;
const SKIPPED_SHOWN = 100;
const SKIPPED_TYPES: Readonly<Record<string, string>> = { '3': 'character device', '4': 'block device', '6': 'FIFO' };

export interface Extracted {
  readonly entries: number;
  readonly bytes: number;
  readonly skippedCount: number;
  /** The first hundred skipped entries. */
  readonly skipped: readonly { readonly name: string; readonly type: string }[];
}

/** Owner of extracted files: an account, or with `keep` the owner in the archive. */
export type ExtractOwner = { readonly owner: Owner | undefined } | 'keep';

interface Directory {
  readonly path: FilePath;
  readonly entry: TarEntry | undefined;
}

/**
 * Extracts into a directory that other users cannot enter, so that no name in it is replaced meanwhile. Each entry is
 * checked before it is written, and all links together at the end.
 * @param target final path of the directory, for absolute links into it
 */
export class Extraction {
  /** As a byte string, like the keys. */
  readonly #root: string;
  readonly #target: FilePath;
  readonly #owner: ExtractOwner;
  readonly #links: Links;
  readonly #files = new Set<string>();
  readonly #directories = new Map<string, Directory>();
  readonly #skipped: { name: string; type: string }[] = [];
  #skippedCount = 0;
  #entries = 0;
  #bytes = 0;
  #nameBytes = 0;

  constructor(root: FilePath, target: FilePath, owner: ExtractOwner) {
    this.#root = latin1Of(root);
    this.#target = target;
    this.#owner = owner;
    this.#links = new Links(target);
    this.#directories.set('', { path: root, entry: undefined });
  }

  /** @throws FileFailure `bad_request` for a refused entry, `too_large` over 100,000 entries or 32 MiB of names; TarFault */
  async run(reader: TarReader): Promise<Extracted> {
    for (let entry = await reader.next(); entry; entry = await reader.next()) {
      this.#entries += 1;
      if (this.#entries > ENTRIES_MAX) {
        throw overCap(`the archive has over ${ENTRIES_MAX} entries`, 'import', shownPath(this.#target));
      }
      this.#nameBytes += entry.name.length + entry.link.length;
      if (this.#nameBytes > NAMES_MAX) {
        throw overCap(`the names in the archive have over ${NAMES_MAX} bytes`, 'import', shownPath(this.#target));
      }
      await this.#extract(entry, reader);
      if (isTurnSpent()) await yieldToEventLoop();
    }
    await this.#links.requireWithin();
    await this.#dressDirectories();
    return {
      entries: this.#entries,
      bytes: this.#bytes,
      skippedCount: this.#skippedCount,
      skipped: this.#skipped,
    };
  }

  async #extract(entry: TarEntry, reader: TarReader): Promise<void> {
    const target = shownPath(this.#target);
    const parts = partsOf(entry.name, 'a name');
    if (entry.isSparse) {
      const hint = 'make the archive without --sparse';
      throw badRequest(`a sparse file cannot be taken: ${shownPath(entry.name)}`, 'import', target, hint);
    }
    if (entry.type === '5') return this.#makeDirectory(parts, entry);
    if (!'012'.includes(entry.type)) return this.#skip(entry);
    if (parts.length === 0) throw badRequest('an entry that is not a directory has no name', 'import', target);
    const path = this.#makeRoom(parts, entry);
    if (entry.type === '0') return this.#writeFile(parts, path, entry, reader);
    if (entry.type === '1') return this.#linkFile(parts, path, entry);
    symlinkSync(bytesOfPath(entry.link), path);
    this.#links.add(parts, entry);
    this.#give(path, entry);
    setLinkTime(path, entry.mtime);
  }

  #skip({ name, type }: TarEntry): void {
    this.#skippedCount += 1;
    if (this.#skipped.length >= SKIPPED_SHOWN) return;
    this.#skipped.push({ name: shownPath(name), type: SKIPPED_TYPES[type] ?? `type ${type}` });
  }

  #makeDirectory(parts: Parts, entry: TarEntry): void {
    const key = keyOf(parts);
    const known = this.#directories.get(key);
    if (known) {
      this.#directories.set(key, { path: known.path, entry });
      return;
    }
    const path = this.#makeRoom(parts, entry);
    mkdirSync(path, 0o700);
    this.#directories.set(key, { path, entry });
  }

  /** Creates missing parents, and removes an earlier entry of the same name: the last one counts. */
  #makeRoom(parts: Parts, entry: TarEntry): FilePath {
    const key = keyOf(parts);
    if (!this.#directories.has(parentKeyOf(key))) this.#requireDirectory(parts.slice(0, -1), entry);
    const path = this.#pathOf(key);
    if (this.#directories.has(key)) throw this.#refuse(entry, 'a directory and something else have one name');
    if (this.#files.delete(key) || this.#links.has(parts)) {
      unlinkSync(path);
      this.#links.delete(parts);
    }
    return path;
  }

  #requireDirectory(parts: Parts, entry: TarEntry): void {
    const key = keyOf(parts);
    if (this.#directories.has(key)) return;
    if (this.#files.has(key) || this.#links.has(parts))
      throw this.#refuse(entry, 'a parent in the name is not a directory');
    this.#requireDirectory(parts.slice(0, -1), entry);
    const path = this.#pathOf(key);
    mkdirSync(path, 0o700);
    this.#directories.set(key, { path, entry: undefined });
  }

  async #writeFile(parts: Parts, path: FilePath, entry: TarEntry, reader: TarReader): Promise<void> {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      this.#files.add(keyOf(parts));
      if (entry.size <= WHOLE_BYTES) writeAtOnce(descriptor, await reader.wholeBody());
      else for await (const piece of reader.body()) await writeAll(descriptor, piece);
      this.#bytes += entry.size;
      const { uid, gid } = this.#ownerOf(entry);
      if (uid !== undefined && gid !== undefined) fchownSync(descriptor, uid, gid);
      fchmodSync(descriptor, entry.mode);
      setDescriptorTime(descriptor, entry.mtime);
    } finally {
      closeSync(descriptor);
    }
  }

  #linkFile(parts: Parts, path: FilePath, entry: TarEntry): void {
    const first = keyOf(partsOf(entry.link, 'a hard link'));
    if (!this.#files.has(first)) throw this.#refuse(entry, 'a hard link leads to no file of the archive');
    linkSync(this.#pathOf(first), path);
    this.#files.add(keyOf(parts));
  }

  /** The deepest first: entries of a directory cannot be changed once it is read-only. */
  async #dressDirectories(): Promise<void> {
    for (const { path, entry } of [...this.#directories.values()].reverse()) {
      this.#give(path, entry);
      chmodSync(path, entry?.mode ?? 0o777 & ~process.umask());
      if (entry) setTime(path, entry.mtime);
      if (isTurnSpent()) await yieldToEventLoop();
    }
  }

  #give(path: FilePath, entry: TarEntry | undefined): void {
    const { uid, gid } = this.#ownerOf(entry);
    if (uid !== undefined && gid !== undefined) lchownSync(path, uid, gid);
  }

  #ownerOf(entry: TarEntry | undefined): { uid?: number; gid?: number } {
    if (this.#owner !== 'keep') return this.#owner.owner ?? {};
    if (!entry || process.geteuid?.() !== 0) return {};
    const { uid, gid } = entry;
    if (isAccount(uid) && isAccount(gid)) return { uid, gid };
    throw this.#refuse(entry, `no account has the number ${isAccount(uid) ? gid : uid}`);
  }

  #pathOf(key: string): FilePath {
    return pathOfLatin1(`${this.#root}/${key}`);
  }

  #refuse(entry: TarEntry, why: string): Error {
    return badRequest(`${why}: ${shownPath(entry.name)}`, 'import', shownPath(this.#target));
  }
}

/** The highest number leaves the owner unchanged (chown(2)). */
function isAccount(id: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < 2 ** 32 - 1;
}
