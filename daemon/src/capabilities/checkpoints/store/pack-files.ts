import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeAllAt } from '../../../core/records/replace-file.ts';

/** A pack that is longer is not appended to. */
const PACK_BYTES = 64 * 1024 ** 2;
/** Descriptors of packs that are kept open. */
const OPEN_MAX = 16;
const SUFFIX = '.pack';

/** The files that hold the bytes of blobs, one after another, named by a number. */
export class PackFiles implements Disposable {
  readonly #directory: string;
  readonly #open = new Map<number, number>();
  readonly #sizes = new Map<number, number>();
  /** Sizes of packs before what is not committed; undefined: the pack is new. */
  readonly #before = new Map<number, number | undefined>();
  #bytes = 0;
  #active = 0;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory)) {
      const number = Number.parseInt(name, 10);
      if (!name.endsWith(SUFFIX) || !Number.isSafeInteger(number)) continue;
      const fd = openSync(join(directory, name), 'r');
      this.#setSize(number, fstatSync(fd).size);
      closeSync(fd);
    }
    this.#active = Math.max(0, ...this.#sizes.keys()) + 1;
  }

  get numbers(): number[] {
    return [...this.#sizes.keys()];
  }

  get bytes(): number {
    return this.#bytes;
  }

  sizeOf(pack: number): number {
    return this.#sizes.get(pack) ?? 0;
  }

  /** Appends to the pack that is filled now. @throws the error of write(2); the pack then ends as before */
  append(bytes: Uint8Array): { readonly pack: number; readonly offset: number } {
    if (this.sizeOf(this.#active) >= PACK_BYTES) this.#active = Math.max(...this.#sizes.keys()) + 1;
    const pack = this.#active;
    const offset = this.sizeOf(pack);
    if (!this.#before.has(pack)) this.#before.set(pack, this.#sizes.get(pack));
    const fd = this.#descriptor(pack);
    try {
      writeAllAt(fd, bytes, offset);
    } catch (error) {
      ftruncateSync(fd, offset);
      throw error;
    }
    this.#setSize(pack, offset + bytes.length);
    return { pack, offset };
  }

  /** Makes a whole file a pack. */
  adopt(path: string, size: number): number {
    const pack = Math.max(this.#active, ...this.#sizes.keys()) + 1;
    renameSync(path, this.#pathOf(pack));
    this.#before.set(pack, undefined);
    this.#setSize(pack, size);
    return pack;
  }

  /** What was written until now stays. */
  commit(): void {
    this.#before.clear();
  }

  /** Gives back what was written since the last commit. @throws the error of the system call */
  rollBack(): void {
    for (const [pack, size] of this.#before) {
      this.#before.delete(pack);
      if (size === undefined) {
        this.remove(pack);
      } else if (this.#sizes.has(pack)) {
        ftruncateSync(this.#descriptor(pack), size);
        this.#setSize(pack, size);
      }
    }
  }

  read(pack: number, offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const fd = this.#descriptor(pack);
    let done = 0;
    while (done < length) {
      const count = readSync(fd, bytes, done, length - done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  }

  remove(pack: number): void {
    const fd = this.#open.get(pack);
    if (fd !== undefined) closeSync(fd);
    this.#open.delete(pack);
    this.#setSize(pack, 0);
    this.#sizes.delete(pack);
    this.#before.delete(pack);
    rmSync(this.#pathOf(pack), { force: true });
    if (pack === this.#active) this.#active = Math.max(pack, ...this.#sizes.keys()) + 1;
  }

  /** The next bytes go into a new pack. */
  startNew(): void {
    this.#active = Math.max(this.#active, ...this.#sizes.keys()) + 1;
  }

  [Symbol.dispose](): void {
    for (const fd of this.#open.values()) closeSync(fd);
    this.#open.clear();
  }

  #descriptor(pack: number): number {
    const known = this.#open.get(pack);
    if (known !== undefined) return known;
    if (this.#open.size >= OPEN_MAX) {
      const [oldest] = this.#open;
      if (oldest) {
        closeSync(oldest[1]);
        this.#open.delete(oldest[0]);
      }
    }
    const isNew = !this.#sizes.has(pack);
    const fd = openSync(this.#pathOf(pack), isNew ? 'wx+' : 'r+', 0o600);
    this.#open.set(pack, fd);
    if (isNew) this.#setSize(pack, 0);
    return fd;
  }

  #setSize(pack: number, size: number): void {
    this.#bytes += size - this.sizeOf(pack);
    this.#sizes.set(pack, size);
  }

  #pathOf(pack: number): string {
    return join(this.#directory, `${pack.toString().padStart(8, '0')}${SUFFIX}`);
  }
}
