import { pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';
import { keyOf, type Parts, parentKeyOf } from '../../../core/files/tar/names.ts';
import type { EntryKind } from '../tree/entry.ts';
import type { Content, Segment } from '../tree/segment.ts';
import { CapturedTree } from '../tree/tree-view.ts';
import { ENTRY_BYTES, entryOf } from '../tree/write-entry.ts';
import type { ImportedAttributes } from './attributes.ts';
import { refusedArchive, tooLargeArchive } from './refused-archive.ts';

/** Objects of one archive, with the directories that only names in it have. */
const OBJECTS_MAX = 1_000_000;
/** Bytes of names, targets, attributes and maps of sparse files, which are held until the end. */
const METADATA_BYTES = 256 * 1024 ** 2;
/** Of a path that a walk reports. */
const PATH_BYTES = 4095;
/** Of an object in memory, beyond its texts. */
const EXTENT_BYTES = 64;

/** An object of an archive; several names may have it. */
export interface ImportedObject extends ImportedAttributes {
  readonly kind: EntryKind;
  readonly size: number;
  readonly rdev: bigint;
  /** A byte string. */
  readonly target: string;
  /** Of a file. */
  readonly content: Content | undefined;
}

interface Held {
  readonly object: ImportedObject;
  readonly inode: bigint;
  names: number;
}

/** The tree of an archive while its entries arrive. */
export class ArchiveTree {
  /** By the names in them; those of the directories themselves are in the directory above. */
  readonly #directories = new Map<string, Map<string, Held>>();
  readonly #bare: ImportedObject;
  #root: Held;
  #inodes = 0n;
  #objects = 0;
  #bytes = 0;
  #sizes = 0;

  /** @param bare a directory that no entry describes */
  constructor(bare: ImportedObject) {
    this.#bare = bare;
    this.#root = this.#held(bare, 0);
    this.#directories.set('', new Map());
  }

  /** The last entry of a directory counts; no other path has two. @throws SandboxError `invalid`, `too_large` */
  add(parts: Parts, object: ImportedObject): void {
    this.#count();
    if (object.kind === 'd') this.#addDirectory(keyOf(parts), object);
    else this.#insert(keyOf(parts), this.#held(object, object.target.length + object.xattrs.length));
    const extents = object.content?.extents?.length ?? 0;
    const pieces = object.content?.pieces?.length ?? 0;
    this.#charge((extents + pieces) * EXTENT_BYTES);
  }

  /** @throws SandboxError `invalid` if no earlier entry is that file */
  link(parts: Parts, first: Parts): void {
    this.#count();
    const key = keyOf(first);
    const held = this.#directories.get(parentKeyOf(key))?.get(nameIn(key));
    if (!held || held.object.kind === 'd') throw refusedArchive(`a hard link leads to no earlier file: ${shown(key)}`);
    held.names += 1;
    this.#insert(keyOf(parts), held);
  }

  finish(): CapturedTree {
    const tree = new CapturedTree(undefined);
    for (const [path, named] of this.#directories) {
      const all = [...named].sort(([a], [b]) => (a < b ? -1 : 1));
      if (path === '') all.unshift(['', this.#root]);
      const contents: [string, Content][] = all.flatMap(([name, { object }]) =>
        object.content ? [[name, object.content]] : [],
      );
      const segment: Segment = {
        entries: all.map(([name, held]) => recordOf(name, held)),
        contents: new Map(contents),
      };
      tree.set(path, segment);
    }
    return tree;
  }

  #addDirectory(key: string, object: ImportedObject): void {
    if (key === '') {
      this.#root = this.#held(object, object.xattrs.length);
      return;
    }
    const above = this.#directories.get(parentKeyOf(key));
    const known = above?.get(nameIn(key));
    if (known && known.object.kind !== 'd') throw refusedArchive(`two entries have the name ${shown(key)}`);
    const held = this.#held(object, object.xattrs.length);
    if (known) above?.set(nameIn(key), held);
    else this.#insert(key, held);
  }

  #insert(key: string, held: Held): void {
    const name = nameIn(key);
    if (key === '') throw refusedArchive('an entry that is not a directory has no name');
    if (key.length > PATH_BYTES) throw refusedArchive(`a path has over ${PATH_BYTES} bytes`);
    const directory = this.#directoryAt(parentKeyOf(key));
    if (directory.has(name)) throw refusedArchive(`two entries have the name ${shown(key)}`);
    directory.set(name, held);
    this.#charge(ENTRY_BYTES + 2 * name.length);
    this.#sizes += held.object.size;
    if (this.#sizes > Number.MAX_SAFE_INTEGER) throw refusedArchive('its files have more bytes than can be counted');
    if (held.object.kind !== 'd') return;
    this.#directories.set(key, new Map());
    this.#charge(key.length);
  }

  #directoryAt(key: string): Map<string, Held> {
    const known = this.#directories.get(key);
    if (known) return known;
    const above = this.#directoryAt(parentKeyOf(key));
    if (above.has(nameIn(key))) throw refusedArchive(`a name goes through what is not a directory: ${shown(key)}`);
    this.#count();
    this.#insert(key, this.#held(this.#bare, 0));
    return this.#directoryAt(key);
  }

  #held(object: ImportedObject, bytes: number): Held {
    this.#inodes += 1n;
    this.#charge(bytes);
    return { object, inode: this.#inodes, names: 1 };
  }

  #count(): void {
    this.#objects += 1;
    if (this.#objects > OBJECTS_MAX) throw tooLargeArchive(`more than ${OBJECTS_MAX} entries`);
  }

  #charge(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > METADATA_BYTES)
      throw tooLargeArchive(`more than ${METADATA_BYTES} bytes of names and attributes`);
  }
}

function recordOf(name: string, { object, inode, names }: Held): Segment['entries'][number] {
  return entryOf({ ...object, name, inode, links: object.kind === 'd' ? 0 : names });
}

function nameIn(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function shown(key: string): string {
  return shownPath(pathOfLatin1(key));
}
