import { chmodSync, lstatSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { badRequest, overCap, systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, parentOf, shownPath, withoutTrailingSlashes } from '../../../core/files/file-path.ts';
import { makeDirectories, type Owner } from '../../../core/files/ownership.ts';
import { removeTree } from '../change/delete.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { realTarget } from '../write/real-target.ts';
import { type Extracted, Extraction } from './extract.ts';
import { gunzipped } from './gunzip.ts';
import { mergeInto } from './merge.ts';
import { TarReader } from './read-entries.ts';
import { TarFault } from './tar-fault.ts';

/** Most bytes of an archive, compressed and decompressed. */
export const ARCHIVE_BYTES_MAX = 4 * 1024 ** 3;

export interface ImportTerms {
  readonly owner: Owner | undefined;
  readonly journal: PartJournal;
  /** Whether to keep the owners that the archive names, where the daemon is root. */
  readonly keepOwners: boolean;
  /** Most bytes of the archive, compressed and decompressed. */
  readonly bytesMax?: number | undefined;
  /** Unset: `rename` where the target does not exist, otherwise `merge`. */
  readonly mode?: ImportMode | undefined;
}

type ImportMode = 'rename' | 'merge';

export type Imported = Extracted & { readonly mode: ImportMode };

/**
 * Extracts an archive, plain or gzip, beside its target, and moves it there when it is complete: a missing target
 * is created in one step, into an existing one the entries are moved one by one.
 * @throws FileFailure `bad_request` for a refused or truncated archive, `too_large` over 4 GiB or 100,000 entries,
 * `already_exists` where the target exists and the mode is `rename`
 */
export async function importTree(
  path: FilePath,
  source: AsyncIterable<Buffer>,
  { owner, journal, keepOwners, mode: asked, bytesMax = ARCHIVE_BYTES_MAX }: ImportTerms,
): Promise<Imported> {
  const target = realTarget(withoutTrailingSlashes(path));
  const existing = statSync(target, { throwIfNoEntry: false });
  if (existing && !existing.isDirectory()) throw systemFailure('ENOTDIR', 'import', shownPath(path));
  if (existing && asked === 'rename') throw systemFailure('EEXIST', 'import', shownPath(path), 'use mode=merge');
  const mode: ImportMode = existing ? 'merge' : 'rename';
  if (mode === 'rename') makeDirectories(parentOf(target), owner);
  const staged = makeStage(target, mode, journal);
  try {
    const tooLarge = (): Error =>
      overCap(`the archive is over ${bytesMax} bytes`, 'import', shownPath(path), 'send it in parts');
    const reader = new TarReader(gunzipped(source), bytesMax, tooLarge);
    const extraction = new Extraction(staged, target, keepOwners ? 'keep' : { owner });
    const extracted = await extraction.run(reader);
    await reader.drain();
    if (mode === 'rename') renameSync(staged, target);
    else await mergeInto(staged, target, journal);
    return { ...extracted, mode };
  } catch (error) {
    throw error instanceof TarFault ? badRequest(error.message, 'import', shownPath(path)) : error;
  } finally {
    await removeStage(staged);
    journal.end(staged);
  }
}

/** A directory that other users cannot enter: beside the target, or in it where that is another file system. */
function makeStage(target: FilePath, mode: ImportMode, journal: PartJournal): FilePath {
  const isBeside = mode === 'rename' || statSync(parentOf(target)).dev === statSync(target).dev;
  try {
    return makeStageIn(isBeside ? parentOf(target) : target, journal);
  } catch (error) {
    const isRefused = ['EACCES', 'EPERM', 'EROFS'].includes(systemCodeOf(error) ?? '');
    if (mode === 'rename' || !isBeside || !isRefused) throw error;
    return makeStageIn(target, journal);
  }
}

function makeStageIn(directory: FilePath, journal: PartJournal): FilePath {
  const path = journal.begin(directory);
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch (error) {
    journal.end(path);
    throw error;
  }
}

async function removeStage(staged: FilePath): Promise<void> {
  if (!lstatSync(staged, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(staged, 0o700);
  await removeTree(staged);
}
