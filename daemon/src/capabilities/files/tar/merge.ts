import { lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, joinPath, namesInSync, shownPath } from '../../../core/files/file-path.ts';
import { HeldDirectory } from '../held-directory.ts';

/**
 * Moves what lies in one directory into another. A directory that is there keeps its attributes and what else it holds;
 * files and links are replaced, a link also where a directory comes. No link in the target is followed.
 * @throws FileFailure `invalid_target` before anything is moved, where a file would replace a directory
 */
export function mergeInto(staged: FilePath, target: FilePath): void {
  using from = HeldDirectory.open(staged);
  using to = HeldDirectory.open(target, { follow: true });
  requireNoConflict(from, to, target);
  mergeEntries(from, to);
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

function mergeEntries(from: HeldDirectory, to: HeldDirectory): void {
  for (const name of namesInSync(from.base)) {
    const staged = lstatSync(from.at(name));
    const existing = lstatSync(to.at(name), { throwIfNoEntry: false });
    if (staged.isDirectory() && existing?.isDirectory()) {
      using below = HeldDirectory.open(from.at(name));
      using there = HeldDirectory.open(to.at(name));
      mergeEntries(below, there);
    } else {
      replaceEntry(from.at(name), to.at(name), staged, existing);
    }
  }
}

function replaceEntry(source: FilePath, target: FilePath, staged: Stats, existing: Stats | undefined): void {
  if (staged.isDirectory() && existing) unlinkSync(target);
  renameSync(source, target);
}
