import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { busyMountPoint, systemCodeOf } from '../../../core/files/file-failure.ts';
import { type FilePath, joinPath, nameOf } from '../../../core/files/file-path.ts';
import { type Entry, HeldDirectory } from '../../../core/files/place/held-directory.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { removeHeld } from './delete.ts';

/**
 * Renames a directory onto a name that may exist. The existing entry is moved aside first and restored if the
 * rename fails; a directory of an image layer cannot be moved (EXDEV) and is removed.
 * @throws FileFailure `already_exists` if the target is a mount point
 */
export async function replaceDirectory(
  source: FilePath,
  { directory, at, shown }: Entry & { readonly shown: string },
  journal: PartJournal,
): Promise<void> {
  using existing = hold(at);
  if (!existing) {
    renameSync(source, at);
    return;
  }
  const noted = journal.beginAside(joinPath(directory.path, nameOf(at)));
  const aside = directory.at(nameOf(noted));
  try {
    if (moveAside(at, aside, shown)) await exchange(source, at, aside, existing);
    else {
      await existing.remove(at);
      renameSync(source, at);
    }
  } finally {
    journal.end(noted);
  }
}

/** The entry that is replaced, held so that what takes its name when it is aside is not removed in its place. */
class Replaced implements Disposable {
  readonly #directory: HeldDirectory | undefined;

  constructor(directory: HeldDirectory | undefined) {
    this.#directory = directory;
  }

  async remove(at: FilePath): Promise<void> {
    if (this.#directory) await removeHeld(this.#directory, at);
    else unlinkSync(at);
  }

  [Symbol.dispose](): void {
    this.#directory?.[Symbol.dispose]();
  }
}

function hold(at: FilePath): Replaced | undefined {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  return stats && new Replaced(stats.isDirectory() ? HeldDirectory.open(at) : undefined);
}

async function exchange(source: FilePath, target: FilePath, aside: FilePath, existing: Replaced): Promise<void> {
  try {
    renameSync(source, target);
  } catch (error) {
    renameSync(aside, target);
    throw error;
  }
  await existing.remove(aside);
}

function moveAside(target: FilePath, aside: FilePath, shown: string): boolean {
  try {
    renameSync(target, aside);
    return true;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EXDEV') return false;
    if (code === 'EBUSY') throw busyMountPoint('replace', shown);
    throw error;
  }
}
