import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { replaceFile, writeAllAt } from '../../../core/records/replace-file.ts';

/** How the bytes of a blob are stored: as they are, compressed, or as the difference to another blob. */
export const FORM = { plain: 0, deflated: 1, delta: 2 } as const;

/** Where a blob is. `hash` is the SHA-256 of its bytes, a character a byte. */
export interface Place {
  readonly hash: string;
  readonly pack: number;
  readonly offset: number;
  /** Of its stored form. */
  readonly length: number;
  readonly form: number;
  /** Blobs that have to be read before it. */
  readonly depth: number;
}

const RECORD = 52;
const HASH_BYTES = 32;

/**
 * The places of all blobs: records of a fixed size, each with a checksum. A record that a kill cut is dropped; no other
 * record depends on it.
 */
export class IndexFile implements Disposable {
  readonly #path: string;
  #fd: number;
  #end: number;

  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, 'a+', 0o600);
    closeSync(this.#fd);
    this.#fd = openSync(path, 'r+');
    const { size } = fstatSync(this.#fd);
    this.#end = size - (size % RECORD);
    if (this.#end < size) ftruncateSync(this.#fd, this.#end);
  }

  get bytes(): number {
    return this.#end;
  }

  /** The records that are whole, oldest first. */
  read(): Place[] {
    const bytes = readFileSync(this.#path);
    const places: Place[] = [];
    for (let at = 0; at + RECORD <= this.#end; at += RECORD) {
      const record = bytes.subarray(at, at + RECORD);
      if (crc32(record.subarray(0, RECORD - 4)) === record.readUInt32LE(RECORD - 4)) places.push(placeOf(record));
    }
    return places;
  }

  /** @throws the error of write(2); the file then ends as before */
  append(places: readonly Place[]): void {
    const bytes = Buffer.concat(places.map(recordOf));
    try {
      writeAllAt(this.#fd, bytes, this.#end);
    } catch (error) {
      ftruncateSync(this.#fd, this.#end);
      throw error;
    }
    this.#end += bytes.length;
  }

  /** Leaves these records alone, at once. */
  replace(places: Iterable<Place>): void {
    replaceFile(this.#path, Buffer.concat(Array.from(places, recordOf)));
    closeSync(this.#fd);
    this.#fd = openSync(this.#path, 'r+');
    this.#end = fstatSync(this.#fd).size;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

function recordOf({ hash, pack, offset, form, depth, length }: Place): Buffer {
  const record = Buffer.allocUnsafe(RECORD);
  record.write(hash, 0, 'latin1');
  record.writeUInt32LE(pack, HASH_BYTES);
  record.writeUIntLE(offset, HASH_BYTES + 4, 6);
  record.writeUInt8(form, HASH_BYTES + 10);
  record.writeUInt8(depth, HASH_BYTES + 11);
  record.writeUInt32LE(length, HASH_BYTES + 12);
  record.writeUInt32LE(crc32(record.subarray(0, RECORD - 4)), RECORD - 4);
  return record;
}

function placeOf(record: Buffer): Place {
  return {
    hash: record.toString('latin1', 0, HASH_BYTES),
    pack: record.readUInt32LE(HASH_BYTES),
    offset: record.readUIntLE(HASH_BYTES + 4, 6),
    form: record.readUInt8(HASH_BYTES + 10),
    depth: record.readUInt8(HASH_BYTES + 11),
    length: record.readUInt32LE(HASH_BYTES + 12),
  };
}
