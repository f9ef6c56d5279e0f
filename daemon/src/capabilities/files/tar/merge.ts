import { lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, joinPath, namesInSync, shownPath } from '../../../core/files/file-path.ts';
import { type Entry, HeldDirectory } from '../../../core/files/place/held-directory.ts';
import type { Reach } from '../../../core/files/place/reach.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { copyInto } from '../change/copy.ts';
import type { PartJournal } from '../parts/part-journal.ts';

interface MergeTerms {
  /** The target, for messages. */
  readonly shown: string;
  readonly reach: Reach;
  readonly journal: PartJournal;
}

/**
 * Moves the entries of one directory into another. An existing directory keeps its attributes and other entries;
 * files and links are replaced, a link also by a directory. No link in the target is followed. Entries for
 * another file system that is mounted below the target are copied.
 * @throws FileFailure `invalid_target` before anything is moved, if a file would replace a directory
 */
export async function mergeInto(staged: FilePath, target: HeldDirectory, terms: MergeTerms): Promise<void> {
  using from = HeldDirectory.open(staged);
  requireNoConflict(from, target, terms);
  await mergeEntries(from, target, terms);
}

function requireNoConflict(from: HeldDirectory, to: HeldDirectory, terms: MergeTerms): void {
  for (const name of namesInSync(from.base)) {
    const existing = lstatSync(to.at(name), { throwIfNoEntry: false });
    terms.reach.requireEntry(to, existing);
    if (!existing?.isDirectory()) continue;
    const shown = shownPath(joinPath(terms.shown, name));
    if (!lstatSync(from.at(name)).isDirectory()) {
      throw systemFailure('EISDIR', 'import', shown, 'remove the directory first');
    }
    using below = HeldDirectory.open(from.at(name));
    using there = HeldDirectory.open(to.at(name));
    requireNoConflict(below, there, { ...terms, shown });
  }
}

async function mergeEntries(from: HeldDirectory, to: HeldDirectory, terms: MergeTerms): Promise<void> {
  for (const name of namesInSync(from.base)) {
    const staged = lstatSync(from.at(name));
    const existing = lstatSync(to.at(name), { throwIfNoEntry: false });
    const shown = shownPath(joinPath(terms.shown, name));
    if (staged.isDirectory() && existing?.isDirectory()) {
      using below = HeldDirectory.open(from.at(name));
      using there = HeldDirectory.open(to.at(name));
      await mergeEntries(below, there, { ...terms, shown });
    } else {
      await replaceEntry(from.at(name), to.entry(name), { ...terms, staged, existing, shown });
    }
    if (isTurnSpent()) await yieldToEventLoop();
  }
}

async function replaceEntry(
  source: FilePath,
  target: Entry,
  { staged, existing, journal, shown, reach }: MergeTerms & { staged: Stats; existing: Stats | undefined },
): Promise<void> {
  reach.requireEntry(target.directory, existing);
  if (staged.isDirectory() && existing) unlinkSync(target.at);
  try {
    renameSync(source, target.at);
  } catch (error) {
    if (systemCodeOf(error) !== 'EXDEV') throw error;
    await copyInto({ at: source }, staged, { ...target, shown }, { owner: 'keep', journal, signal: undefined });
  }
}
