import type { BlobStore } from '../store/blob-store.ts';
import { ownMemory } from '../store/own-memory.ts';
import { figuresOf, hasLinked, parseSegment, type Segment } from './segment.ts';
import { parseList, type TreeList } from './tree-list.ts';

/** A tree by its directories; paths are byte strings, '' is the root. */
export interface TreeView {
  readonly paths: Iterable<string>;
  has(path: string): boolean;
  /** Equal for equal directories; undefined if it is not known. */
  hashOf(path: string): string | undefined;
  segmentOf(path: string): Segment | undefined;
  /** Whether an object of that directory has several names. */
  hasLinked(path: string): boolean;
}

/** Bytes of segments, so that the next checkpoint need not read them. */
const CACHE_BYTES = 256 * 1024 ** 2;
/** Bytes beyond which those of older trees go: a process that is large takes longer to start another one. */
const SPARE_BYTES = 32 * 1024 ** 2;

/** The tree of a checkpoint. */
export class StoredTree implements TreeView {
  readonly hash: string;
  readonly list: TreeList;
  readonly #store: BlobStore;
  readonly #cache: SegmentCache;

  /** @throws DamagedBlob */
  constructor(hash: string, store: BlobStore, cache: SegmentCache) {
    this.hash = hash;
    this.list = parseList(store.get(hash));
    this.#store = store;
    this.#cache = cache;
  }

  get paths(): Iterable<string> {
    return this.list.keys();
  }

  has(path: string): boolean {
    return this.list.has(path);
  }

  hashOf(path: string): string | undefined {
    return this.list.get(path);
  }

  bytesOf(path: string): Buffer | undefined {
    const hash = this.list.get(path);
    return hash === undefined ? undefined : this.#cache.get(hash, () => this.#store.get(hash));
  }

  segmentOf(path: string): Segment | undefined {
    const bytes = this.bytesOf(path);
    return bytes && parseSegment(bytes);
  }

  hasLinked(path: string): boolean {
    const bytes = this.bytesOf(path);
    return bytes !== undefined && hasLinked(bytes);
  }
}

/** The bytes of segments by their hash, within `CACHE_BYTES`. */
export class SegmentCache {
  readonly #segments = new Map<string, Buffer>();
  #bytes = 0;

  get(hash: string, read: () => Buffer): Buffer {
    const known = this.#segments.get(hash);
    if (known) return known;
    const bytes = read();
    this.add(hash, bytes);
    return bytes;
  }

  /** Undefined if it has to be read. */
  known(hash: string): Buffer | undefined {
    return this.#segments.get(hash);
  }

  add(hash: string, bytes: Buffer): void {
    if (this.#segments.has(hash)) return;
    this.#bytes += bytes.length;
    this.#segments.set(hash, ownMemory(bytes));
    for (const [oldest, { length }] of this.#segments) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#segments.delete(oldest);
      this.#bytes -= length;
    }
  }

  /** Makes room if there is little: the segments of other trees go. */
  keepThoseOf(list: TreeList): void {
    if (this.#bytes <= SPARE_BYTES) return;
    const kept = new Set(list.values());
    for (const [hash, { length }] of this.#segments) {
      if (kept.has(hash)) continue;
      this.#segments.delete(hash);
      this.#bytes -= length;
    }
  }
}

/** A tree as it is now: directories that are equal to those of a checkpoint are its own. */
export class CapturedTree implements TreeView {
  readonly #own = new Map<string, Segment>();
  readonly #kept = new Map<string, string>();
  readonly #base: StoredTree | undefined;

  constructor(base: StoredTree | undefined) {
    this.#base = base;
  }

  get paths(): Iterable<string> {
    return [...this.#kept.keys(), ...this.#own.keys()];
  }

  /** Directories that are not equal to those of the base. */
  get changed(): ReadonlyMap<string, Segment> {
    return this.#own;
  }

  /** Hashes of the directories that are equal to those of the base. */
  get kept(): ReadonlyMap<string, string> {
    return this.#kept;
  }

  keep(path: string, hash: string): void {
    this.#kept.set(path, hash);
  }

  set(path: string, segment: Segment): void {
    this.#own.set(path, segment);
  }

  has(path: string): boolean {
    return this.#kept.has(path) || this.#own.has(path);
  }

  hashOf(path: string): string | undefined {
    return this.#kept.get(path);
  }

  segmentOf(path: string): Segment | undefined {
    return this.#own.get(path) ?? (this.#kept.has(path) ? this.#base?.segmentOf(path) : undefined);
  }

  hasLinked(path: string): boolean {
    const own = this.#own.get(path);
    if (own) return own.entries.some(({ links }) => links > 1);
    return this.#kept.has(path) && this.#base?.hasLinked(path) === true;
  }

  /** Files and bytes of the kept directories. */
  keptFigures(): { files: number; bytes: number } {
    const sum = { files: 0, bytes: 0 };
    for (const path of this.#kept.keys()) {
      const bytes = this.#base?.bytesOf(path);
      const figures = bytes ? figuresOf(bytes) : { files: 0, bytes: 0 };
      sum.files += figures.files;
      sum.bytes += figures.bytes;
    }
    return sum;
  }
}
