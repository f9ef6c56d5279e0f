import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { badRequest } from '../../../core/files/file-failure.ts';
import { bytesOfPath, type FilePath, nameOf, parentOf, shownPath } from '../../../core/files/file-path.ts';
import { Place, realPathOf } from '../../../core/files/place/place.ts';
import { PartFile } from '../parts/part-file.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { partPath } from '../parts/part-note.ts';
import type { PathLocks } from '../path-locks.ts';
import { requireReplaceable } from '../write/write.ts';
import { hashOf, spool } from './spool.ts';
import type { Uploaded, UploadTerms } from './upload.ts';

/** Byte range of a piece, and the size of the file, which may be unknown before the last piece. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly total: number | undefined;
}

/** Progress of an upload: the complete file, or the bytes received so far. */
export type Progress =
  | ({ readonly isComplete: true } & Uploaded)
  | { readonly isComplete: false; readonly size: number };

/** Uploads in pieces. Each has a part beside its target that outlives connections and the daemon, for an hour. */
export class ResumableUploads {
  readonly #locks: PathLocks;
  readonly #journal: PartJournal;

  constructor(locks: PathLocks, journal: PartJournal) {
    this.#locks = locks;
    this.#journal = journal;
  }

  /** Bytes received so far of an incomplete upload. */
  sizeOf(path: FilePath): number {
    const part = partOf(realPathOf(path, 'upload'));
    const stats = lstatSync(part, { throwIfNoEntry: false });
    return stats?.ino === this.#journal.inodeOf(part) ? (stats?.size ?? 0) : 0;
  }

  /**
   * Appends one piece. The last one, which ends at the total, completes the file. A truncated piece is kept.
   * @param restart whether to discard the bytes received so far
   * @throws SandboxError `conflict` if the piece does not begin where the part ends; its data has that size
   * @throws FileFailure `bad_request` if the length of the body differs from that of the piece
   */
  async append(
    path: FilePath,
    source: AsyncIterable<Buffer>,
    { start, end, total }: Piece,
    restart: boolean,
    terms: UploadTerms,
  ): Promise<Progress> {
    using place = Place.find(path, 'upload', { follow: true });
    requireReplaceable(place, terms.precondition);
    const target = place.path;
    const name = partOf(target);
    return await this.#locks.hold(name, async () => {
      using _kept = this.#journal.keep(name);
      await using part = PartFile.resume(place, nameOf(name), terms.owner, this.#journal.inodeOf(name));
      this.#journal.identify(name, part.inode);
      if (restart) part.truncate(0);
      // The call of the last piece ended between its last byte and the name: its repeat brings these bytes again.
      if (part.length === total && end === total && start < total) part.truncate(start);
      if (part.length !== start) throw misplaced(path, part.length, total);
      const isWithin = await spool(source, part, { limit: end - start });
      if (!isWithin || part.length !== end) {
        if (!isWithin) part.truncate(start);
        const shown = shownPath(path);
        throw badRequest(`the body is not as long as its Content-Range says: ${end - start} bytes`, 'upload', shown);
      }
      if (part.length !== total) return { isComplete: false, size: part.length };
      const sha256 = await hashOf(part);
      const { etag } = await this.#locks.hold(target, () => part.commit(place, { ...terms, sync: false }));
      this.#journal.end(name);
      return { isComplete: true, size: end, sha256, etag };
    });
  }
}

function misplaced(path: FilePath, size: number, total: number | undefined): SandboxError {
  const next = size === total ? 'send the last piece again, which completes the file' : `go on at byte ${size}`;
  return new SandboxError('conflict', `the piece must begin at the end of the upload: byte ${size}`, {
    data: { path: shownPath(path), size },
    hint: `${next}, or begin again with restart=true`,
  });
}

function partOf(target: FilePath): FilePath {
  const id = createHash('sha256').update(bytesOfPath(target)).digest('hex').slice(0, 24);
  return partPath(parentOf(target), id);
}
