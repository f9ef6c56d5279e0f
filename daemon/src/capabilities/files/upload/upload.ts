import { tmpdir } from 'node:os';
import type { FilePath } from '../../../core/files/file-path.ts';
import { joinPath } from '../../../core/files/file-path.ts';
import type { Owner } from '../../../core/files/ownership.ts';
import { Place } from '../../../core/files/place/place.ts';
import type { Precondition } from '../etag.ts';
import { PartFile } from '../parts/part-file.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import type { PathLocks } from '../path-locks.ts';
import { requireReplaceable } from '../write/write.ts';
import { requireAttributes, setAttributes } from './attributes.ts';
import { newHash, spool } from './spool.ts';

export interface UploadTerms {
  readonly owner: Owner | undefined;
  readonly mode?: number | undefined;
  readonly precondition?: Precondition | undefined;
  /** Whether it is on the disk before it is answered. */
  readonly sync?: boolean | undefined;
  /** Extended attributes of the file by their names. */
  readonly attributes?: ReadonlyMap<string, Buffer> | undefined;
}

export interface Uploaded {
  readonly size: number;
  readonly sha256: string;
  readonly etag: string;
}

/** A file that is received beside its target; it gets the target's name when committed. */
export class Upload implements AsyncDisposable {
  readonly #locks: PathLocks;
  readonly #journal: PartJournal;
  readonly #terms: UploadTerms;
  /** They stay open as long as their parts. */
  readonly #places = new DisposableStack();
  #part: PartFile | undefined;
  #sha256 = '';

  constructor(locks: PathLocks, journal: PartJournal, terms: UploadTerms) {
    this.#locks = locks;
    this.#journal = journal;
    this.#terms = terms;
  }

  /** Receives the content; while the target is unknown, in the system's temporary directory. */
  async receive(source: AsyncIterable<Buffer>, path: FilePath | undefined): Promise<void> {
    const place = this.#find(path ?? joinPath(tmpdir(), 'upload'));
    if (path !== undefined) requireReplaceable(place, this.#terms.precondition);
    requireAttributes(this.#terms.attributes, place.shown);
    const part = PartFile.create(place, this.#terms.owner, this.#journal);
    this.#part = part;
    const hash = newHash();
    await spool(source, part, { hash });
    this.#sha256 = hash.digest('hex');
  }

  /** @throws FileFailure `already_exists` if the target is a mount point */
  async commit(path: FilePath): Promise<Uploaded> {
    const received = this.#part;
    if (!received) throw new Error('nothing was received');
    const place = this.#find(path);
    const { owner, sync = false } = this.#terms;
    await using part = await received.beside(place, owner, this.#journal);
    const size = part.length;
    setAttributes(part.descriptor, place.shown, this.#terms.attributes);
    const { etag } = await this.#locks.hold(place.path, () => part.commit(place, { ...this.#terms, sync }));
    return { size, sha256: this.#sha256, etag };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#part?.[Symbol.asyncDispose]();
    this.#places.dispose();
  }

  #find(path: FilePath): Place {
    return this.#places.use(Place.find(path, 'upload', { follow: true }));
  }
}
