import type { Place } from '../../../core/files/place/place.ts';
import { PartFile } from '../parts/part-file.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { OpenFile } from '../read/open-file.ts';
import { requireReplaceable, type WriteTerms, type Written } from './write.ts';

/** Bytes of one read when the old content of an appended file is copied. */
const COPY_BYTES = 1024 ** 2;

/**
 * Writes beside the file, syncs, then renames: readers see the old content or the new one. Mode and owner
 * are kept, the inode is not.
 * @throws FileFailure `already_exists` if the target is a mount point
 */
export async function writeAtomically(
  place: Place,
  bytes: Buffer,
  terms: WriteTerms,
  journal: PartJournal,
): Promise<Written> {
  const before = requireReplaceable(place, terms.precondition);
  await using part = PartFile.create(place, terms.owner, journal);
  if (terms.append && before) await copyOld(place, part);
  if (bytes.length > 0) await part.write([bytes]);
  return await part.commit(place, { ...terms, sync: true });
}

async function copyOld(place: Place, part: PartFile): Promise<void> {
  using old = await OpenFile.open(place.shown, 'write', place);
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  for (let at = 0; ; ) {
    const count = await old.readAt(buffer, at, buffer.length);
    if (count === 0) return;
    await part.write([buffer.subarray(0, count)]);
    at += count;
  }
}
