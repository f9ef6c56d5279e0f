import { lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, joinPath, namesInSync, shownPath } from '../../../core/files/file-path.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { copyInto } from '../change/copy.ts';
import { HeldDirectory } from '../change/held-directory.ts';
import type { PartJournal } from '../parts/part-journal.ts';

/**
 * Moves the entries of one directory into another. An existing directory keeps its attributes and other entries;
 * files and links are replaced, a link also by a directory. No link in the target is followed. Entries for
 * another file system that is mounted below the target are copied.
 * @throws FileFailure `invalid_target` before anything is moved, where a file would replace a directory
 */
export async function mergeInto(staged: FilePath, target: FilePath, journal: PartJournal): Promise<void> {
  using from = HeldDirectory.open(staged);
  using to = HeldDirectory.open(target, { follow: true });
  requireNoConflict(from, to, target);
  await mergeEntries(from, to, journal);
}

function requireNoConflict(from: HeldDirectory, to: HeldDirectory, shown: FilePath): void {
  for (const name of namesInSync(from.base)) {
    const existing = lstatSync(to.at(name), { throwIfNoEntry: false });
    if (!existing?.isDirectory()) continue;
    if (!lstatSync(from.at(name)).isDirectory()) {
      throw systemFailure('EISDIR', 'import', shownPath(joinPath(shown, name)), 'remove the directory first');
    }
    using below = HeldDirectory.open(from.at(name));
    using there = HeldDirectory.open(to.at(name));
    requireNoConflict(below, there, joinPath(shown, name));
  }
}

async function mergeEntries(from: HeldDirectory, to: HeldDirectory, journal: PartJournal): Promise<void> {
  for (const name of namesInSync(from.base)) {
    const staged = lstatSync(from.at(name));
    const existing = lstatSync(to.at(name), { throwIfNoEntry: false });
    if (staged.isDirectory() && existing?.isDirectory()) {
      using below = HeldDirectory.open(from.at(name));
      using there = HeldDirectory.open(to.at(name));
      await mergeEntries(below, there, journal);
    } else {
      await replaceEntry(from.at(name), to.at(name), { staged, existing, journal });
    }
    if (isTurnSpent()) await yieldToEventLoop();
  }
}

async function replaceEntry(
  source: FilePath,
  target: FilePath,
  { staged, existing, journal }: { staged: Stats; existing: Stats | undefined; journal: PartJournal },
): Promise<void> {
  if (staged.isDirectory() && existing) unlinkSync(target);
  try {
    renameSync(source, target);
  } catch (error) {
    if (systemCodeOf(error) !== 'EXDEV') throw error;
    await copyInto(source, staged, target, 'keep', journal);
  }
}
