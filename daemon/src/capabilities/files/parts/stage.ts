import { chmodSync, lstatSync, rmdirSync } from 'node:fs';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import { type FilePath, nameOf } from '../../../core/files/file-path.ts';
import type { Entry, HeldDirectory } from '../../../core/files/place/held-directory.ts';
import { makePrivateDirectory } from '../../../core/files/place/make-directory.ts';
import { removeTree } from '../change/delete.ts';
import type { PartJournal } from './part-journal.ts';

/**
 * A directory beside a target that no other account can enter, held open: whatever takes its name, what is made in it
 * stays what it is until it gets the name of the target.
 */
export class Stage implements AsyncDisposable {
  /** The path of what is made, which does not exist at first. */
  readonly content: FilePath;
  readonly #path: FilePath;
  readonly #entry: Entry;
  readonly #held: HeldDirectory;
  readonly #journal: PartJournal;

  private constructor(path: FilePath, entry: Entry, journal: PartJournal) {
    this.#path = path;
    this.#entry = entry;
    this.#journal = journal;
    this.#held = makePrivateDirectory(entry);
    this.content = this.#held.at('content');
  }

  /** @param directory stays open as long as the stage @throws as `mkdir` does */
  static make(directory: HeldDirectory, journal: PartJournal): Stage {
    const path = journal.begin(directory.path);
    try {
      return new Stage(path, directory.entry(nameOf(path)), journal);
    } catch (error) {
      journal.end(path);
      throw error;
    }
  }

  /** Removes what has not been moved away. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (lstatSync(this.content, { throwIfNoEntry: false })?.isDirectory()) chmodSync(this.content, 0o700);
      await removeTree(this.content);
      removeIfThere(this.#entry.at);
    } finally {
      this.#held[Symbol.dispose]();
      this.#journal.end(this.#path);
    }
  }
}

/** An account may have renamed it, and put what is not empty in its place. */
function removeIfThere(path: FilePath): void {
  try {
    rmdirSync(path);
  } catch (error) {
    const code = systemCodeOf(error) ?? '';
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(code)) throw error;
  }
}
