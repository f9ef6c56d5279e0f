import { hash } from 'node:crypto';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { applyDelta, baseOf, encodeDelta } from './delta.ts';
import { FORM, IndexFile, type Place } from './index-file.ts';
import { ownMemory } from './own-memory.ts';
import { PackFiles } from './pack-files.ts';

/** Blobs that have to be read before a delta, at most. */
const DEPTH_MAX = 12;
const DEFLATE = { level: 1 } as const;
/** Smaller lists are not worth a delta. */
const DELTA_BYTES = 512;
/** Bytes of lists that were read last: each one is the difference to one of them. */
const LISTS_BYTES = 16 * 1024 ** 2;

/** The SHA-256 of bytes, a character a byte. */
export function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'buffer').toString('latin1');
}

/** A blob that is damaged or missing: its bytes do not have its hash. */
export class DamagedBlob extends Error {
  constructor(digest: string) {
    super(`the store of checkpoints lacks the blob ${Buffer.from(digest, 'latin1').toString('hex')}`);
    this.name = 'DamagedBlob';
  }
}

/** Blobs by the SHA-256 of their bytes, each stored once. Nothing is lost that was `commit`ted, whenever a kill ends it. */
export class BlobStore implements Disposable {
  readonly #index: IndexFile;
  readonly #packs: PackFiles;
  readonly #places = new Map<string, Place>();
  /** Of differences, the blob that each is one to. */
  readonly #bases = new Map<string, string>();
  readonly #lists = new Map<string, Buffer>();
  #listsBytes = 0;
  #fresh: Place[] = [];

  constructor(directory: string) {
    this.#packs = new PackFiles(join(directory, 'packs'));
    this.#index = new IndexFile(join(directory, 'index'));
    let isStale = false;
    for (const place of this.#index.read()) {
      // Bytes that the pack does not have: the machine ended between both writes, or the pack was unused.
      const isThere = place.offset + place.length <= this.#packs.sizeOf(place.pack);
      if (isThere) this.#places.set(place.hash, place);
      else isStale = true;
    }
    // A pack that takes the number of one that is gone must not have its places.
    if (isStale) this.#index.replace(this.#places.values());
    const used = new Set([...this.#places.values()].map(({ pack }) => pack));
    for (const pack of this.#packs.numbers) if (!used.has(pack)) this.#packs.remove(pack);
  }

  get bytes(): number {
    return this.#packs.bytes + this.#index.bytes;
  }

  has(digest: string): boolean {
    return this.#places.has(digest);
  }

  /** @throws DamagedBlob */
  get(digest: string): Buffer {
    const place = this.#places.get(digest);
    if (!place) throw new DamagedBlob(digest);
    const known = this.#lists.get(digest);
    if (known) return known;
    try {
      const bytes = this.#decode(place, this.#packs.read(place.pack, place.offset, place.length));
      if (hashOf(bytes) === digest) {
        if (place.form !== FORM.plain) this.#remember(digest, bytes);
        return bytes;
      }
    } catch (error) {
      if (error instanceof DamagedBlob) throw error;
    }
    throw new DamagedBlob(digest);
  }

  /** Stores content as it is. */
  putContent(bytes: Buffer, digest: string = hashOf(bytes)): string {
    if (!this.#places.has(digest)) this.#append(digest, bytes, FORM.plain, 0);
    return digest;
  }

  /** Stores a list of records, as the difference to an earlier one if that is shorter. */
  putRecords(
    records: readonly Buffer[],
    base?: { readonly hash: string; readonly records: readonly Buffer[] },
  ): string {
    const bytes = Buffer.concat(records);
    const digest = hashOf(bytes);
    if (this.#places.has(digest)) return digest;
    const deflated = deflateRawSync(bytes, DEFLATE);
    const depth = (base && this.#places.get(base.hash)?.depth) ?? DEPTH_MAX;
    if (base && depth < DEPTH_MAX && deflated.length > DELTA_BYTES) {
      const delta = deflateRawSync(encodeDelta(base.hash, base.records, records), DEFLATE);
      if (delta.length < deflated.length / 2) {
        this.#append(digest, delta, FORM.delta, depth + 1);
        this.#bases.set(digest, base.hash);
        return digest;
      }
    }
    this.#append(digest, deflated, FORM.deflated, 0);
    return digest;
  }

  /** Makes a file with contents a pack; each place is a blob of it that the store did not have. */
  adopt(path: string, size: number, blobs: readonly { hash: string; offset: number; length: number }[]): void {
    const pack = this.#packs.adopt(path, size);
    for (const blob of blobs) this.#note({ ...blob, pack, form: FORM.plain, depth: 0 });
  }

  /** What was put is found after a kill from now on. */
  commit(): void {
    if (this.#fresh.length === 0) return;
    this.#index.append(this.#fresh);
    this.#packs.commit();
    this.#fresh = [];
  }

  /** Forgets what was put since the last commit, and gives back its bytes. @throws the error of the system call */
  rollBack(): void {
    for (const { hash: digest } of this.#fresh) this.#forget(digest);
    this.#fresh = [];
    this.#packs.rollBack();
  }

  /** With the blobs that these are differences to. */
  withBases(digests: ReadonlySet<string>): Set<string> {
    const all = new Set<string>();
    for (const digest of digests) {
      for (let at: string | undefined = digest; at !== undefined && !all.has(at); ) {
        all.add(at);
        at = this.#baseOf(at);
      }
    }
    return all;
  }

  /** Drops every other blob. Packs of which no more than the part `kept` is used are written again, without them. */
  keepOnly(digests: ReadonlySet<string>, kept: number): void {
    this.commit();
    const live = new Map<number, Place[]>();
    for (const [digest, place] of this.#places) {
      if (!digests.has(digest)) this.#forget(digest);
      else {
        const places = live.get(place.pack);
        if (places) places.push(place);
        else live.set(place.pack, [place]);
      }
    }
    this.#packs.startNew();
    // First what needs no room: on a full disk the rest fails.
    for (const pack of this.#packs.numbers) if (!live.has(pack)) this.#packs.remove(pack);
    try {
      const { moved, emptied } = this.#moveOut(live, kept);
      this.#index.replace(this.#places.values().map((place) => moved.get(place.hash) ?? place));
      this.#packs.commit();
      for (const [digest, place] of moved) this.#places.set(digest, place);
      for (const pack of emptied) this.#packs.remove(pack);
    } catch (error) {
      this.#packs.rollBack();
      throw error;
    }
  }

  /** Writes what is used of packs with many unused bytes again. */
  #moveOut(
    live: ReadonlyMap<number, readonly Place[]>,
    kept: number,
  ): { moved: Map<string, Place>; emptied: number[] } {
    const moved = new Map<string, Place>();
    const emptied: number[] = [];
    for (const pack of this.#packs.numbers) {
      const places = live.get(pack) ?? [];
      const used = places.reduce((sum, { length }) => sum + length, 0);
      if (used > kept * this.#packs.sizeOf(pack)) continue;
      for (const place of places) {
        const bytes = this.#packs.read(pack, place.offset, place.length);
        moved.set(place.hash, { ...place, ...this.#packs.append(bytes) });
      }
      emptied.push(pack);
    }
    return { moved, emptied };
  }

  [Symbol.dispose](): void {
    this.#packs[Symbol.dispose]();
    this.#index[Symbol.dispose]();
  }

  #append(digest: string, bytes: Buffer, form: number, depth: number): void {
    this.#note({ hash: digest, ...this.#packs.append(bytes), length: bytes.length, form, depth });
  }

  #note(place: Place): void {
    this.#places.set(place.hash, place);
    this.#fresh.push(place);
  }

  #decode({ form }: Place, stored: Buffer): Buffer {
    if (form === FORM.plain) return stored;
    const bytes = inflateRawSync(stored);
    return form === FORM.delta ? applyDelta(bytes, this.get(baseOf(bytes))) : bytes;
  }

  #baseOf(digest: string): string | undefined {
    const place = this.#places.get(digest);
    if (place?.form !== FORM.delta) return undefined;
    const known = this.#bases.get(digest);
    if (known !== undefined) return known;
    const base = baseOf(inflateRawSync(this.#packs.read(place.pack, place.offset, place.length)));
    this.#bases.set(digest, base);
    return base;
  }

  #forget(digest: string): void {
    this.#places.delete(digest);
    this.#bases.delete(digest);
    this.#listsBytes -= this.#lists.get(digest)?.length ?? 0;
    this.#lists.delete(digest);
  }

  #remember(digest: string, bytes: Buffer): void {
    this.#lists.set(digest, ownMemory(bytes));
    this.#listsBytes += bytes.length;
    for (const [oldest, { length }] of this.#lists) {
      if (this.#listsBytes <= LISTS_BYTES) break;
      this.#lists.delete(oldest);
      this.#listsBytes -= length;
    }
  }
}
