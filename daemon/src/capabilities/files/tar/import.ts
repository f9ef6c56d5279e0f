import { mkdirSync, renameSync } from 'node:fs';
import { badRequest, overCap, systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath, withoutTrailingSlashes } from '../../../core/files/file-path.ts';
import type { Owner } from '../../../core/files/ownership.ts';
import { HeldDirectory } from '../../../core/files/place/held-directory.ts';
import { Place } from '../../../core/files/place/place.ts';
import { gunzipped } from '../../../core/files/tar/gunzip.ts';
import { TarReader } from '../../../core/files/tar/read-entries.ts';
import { TarFault } from '../../../core/files/tar/tar-fault.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { Stage } from '../parts/stage.ts';
import { type Extracted, Extraction } from './extract.ts';
import { mergeInto } from './merge.ts';

/** Most bytes of an archive, compressed and decompressed. */
export const ARCHIVE_BYTES_MAX = 4 * 1024 ** 3;

export interface ImportTerms {
  readonly owner: Owner | undefined;
  readonly journal: PartJournal;
  /** Whether to keep the owners that the archive names, if the daemon is root. */
  readonly keepOwners: boolean;
  /** Most bytes of the archive, compressed and decompressed. */
  readonly bytesMax?: number | undefined;
  /** Unset: `rename` if the target does not exist, otherwise `merge`. */
  readonly mode?: ImportMode | undefined;
}

type ImportMode = 'rename' | 'merge';

export type Imported = Extracted & { readonly mode: ImportMode };

/**
 * Extracts an archive, plain or gzip, beside its target, and moves it there when it is complete: a missing target
 * is created in one step, into an existing one the entries are moved one by one.
 * @throws FileFailure `bad_request` for a refused or truncated archive, `too_large` over 4 GiB or 100,000 entries,
 * `already_exists` if the target exists and the mode is `rename`
 */
export async function importTree(
  path: FilePath,
  source: AsyncIterable<Buffer>,
  { owner, journal, keepOwners, mode: asked, bytesMax = ARCHIVE_BYTES_MAX }: ImportTerms,
): Promise<Imported> {
  using place = Place.find(withoutTrailingSlashes(path), 'import', { follow: true });
  const { existing } = place;
  if (existing && !existing.isDirectory()) throw systemFailure('ENOTDIR', 'import', shownPath(path));
  if (existing && asked === 'rename') throw systemFailure('EEXIST', 'import', shownPath(path), 'use mode=merge');
  const mode: ImportMode = existing ? 'merge' : 'rename';
  if (mode === 'rename') place.makeParents(owner);
  using target = existing && HeldDirectory.open(place.at);
  if (target) place.reach.requireEntry(target);
  await using stage = makeStage(place, target, journal);
  try {
    const tooLarge = (): Error =>
      overCap(`the archive is over ${bytesMax} bytes`, 'import', shownPath(path), 'send it in parts');
    const reader = new TarReader(gunzipped(source), bytesMax, tooLarge);
    mkdirSync(stage.content, { mode: 0o700 });
    const extraction = new Extraction(stage.content, place.path, keepOwners ? 'keep' : { owner });
    const extracted = await extraction.run(reader);
    await reader.drain();
    if (target) await mergeInto(stage.content, target, { shown: place.shown, reach: place.reach, journal });
    else renameSync(stage.content, place.at);
    return { ...extracted, mode };
  } catch (error) {
    throw error instanceof TarFault ? badRequest(error.message, 'import', shownPath(path)) : error;
  }
}

/** Beside the target, or in it if that is another file system or beyond the reach of a link to it. */
function makeStage(place: Place, target: HeldDirectory | undefined, journal: PartJournal): Stage {
  if (!target) return Stage.make(place.directory, journal);
  const isBeside = !place.reach.isLimited && place.directory.stats().dev === target.stats().dev;
  try {
    return Stage.make(isBeside ? place.directory : target, journal);
  } catch (error) {
    const isRefused = ['EACCES', 'EPERM', 'EROFS'].includes(systemCodeOf(error) ?? '');
    if (!isBeside || !isRefused) throw error;
    return Stage.make(target, journal);
  }
}
