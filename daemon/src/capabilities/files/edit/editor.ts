import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { badRequest, fileExists, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import type { Owner } from '../../../core/files/ownership.ts';
import { Place } from '../../../core/files/place/place.ts';
import { type Precondition, requirePrecondition } from '../etag.ts';
import type { PathLocks } from '../path-locks.ts';
import { readText, type TextRead } from '../read/read.ts';
import { writeInPlace } from '../write/write.ts';
import { type Edited, insertLines, type Replacement, replaceEvery, strReplace } from './edit.ts';
import { EditHistory } from './edit-history.ts';
import { numberedOutput } from './snippet.ts';

export interface EditResult {
  readonly output: string;
  readonly prevExist: boolean;
  readonly oldContent: string | undefined;
  readonly newContent: string;
  readonly etag: string;
}

/** Edits text files, one edit of a file at a time, and keeps their former contents in memory for undo. */
export class Editor {
  readonly #locks: PathLocks;
  readonly #history = new EditHistory();

  constructor(locks: PathLocks) {
    this.#locks = locks;
  }

  strReplace(path: FilePath, replacement: Replacement, precondition?: Precondition): Promise<EditResult> {
    return this.#change(path, (content) => strReplace(path, content, replacement), precondition);
  }

  insert(path: FilePath, afterLine: number, text: string, precondition?: Precondition): Promise<EditResult> {
    return this.#change(path, (content) => insertLines(path, content, afterLine, text), precondition);
  }

  /** Replaces every occurrence; no occurrence is not an error. @returns their number */
  async replace(path: FilePath, oldStr: string, newStr: string): Promise<number> {
    if (oldStr === '') throw badRequest('old_str is empty', 'replace', shownPath(path), 'give the text to replace');
    let replaced = 0;
    await this.#change(path, (content) => {
      const { content: edited, count } = replaceEvery(content, oldStr, newStr);
      replaced = count;
      return { content: edited, output: '' };
    });
    return replaced;
  }

  /** Writes a new file; `undo` after it succeeds and keeps the file. @throws FileFailure `already_exists` */
  async create(path: FilePath, content: string, owner: Owner | undefined): Promise<EditResult> {
    using place = Place.find(path, 'edit', { follow: true });
    const target = place.path;
    const shown = shownPath(path);
    return await this.#locks.hold(target, async () => {
      if (place.lookUp() !== undefined) throw fileExists(shown);
      const precondition = { ifNoneMatch: '*', failsAs: 'conflict' } as const;
      const bytes = Buffer.from(content);
      const { etag } = await writeInPlace(place, bytes, { append: false, owner, precondition }).catch((error) => {
        // Another process created it after the look.
        throw error instanceof SandboxError && error.kind === 'conflict' ? fileExists(shown) : error;
      });
      this.#history.push(target, content);
      const output = `File created successfully at: ${shown}`;
      return { output, prevExist: false, oldContent: undefined, newContent: content, etag };
    });
  }

  /** @throws FileFailure `bad_request` if no former content of the file is kept */
  async undo(path: FilePath): Promise<EditResult> {
    using place = Place.find(path, 'edit', { follow: true });
    const target = place.path;
    return await this.#locks.hold(target, async () => {
      const { content: oldContent } = await readHeld(place);
      const newContent = this.#history.peek(target);
      if (newContent === undefined) {
        throw badRequest(`No edit history found for ${shownPath(path)}.`, 'edit', shownPath(path));
      }
      const { etag } = await writeInPlace(place, Buffer.from(newContent), { append: false, owner: undefined });
      this.#history.pop(target);
      const shown = shownPath(path);
      const output = `Last edit to ${shown} undone successfully. ${numberedOutput(newContent, shown)}`;
      return { output, prevExist: true, oldContent, newContent, etag };
    });
  }

  async #change(path: FilePath, change: (content: string) => Edited, precondition?: Precondition): Promise<EditResult> {
    if (path.at(-1) === '/') throw systemFailure('EISDIR', 'edit', shownPath(path));
    using place = Place.find(path, 'edit', { follow: true });
    const target = place.path;
    return await this.#locks.hold(target, async () => {
      const { content: oldContent, etag: before } = await readHeld(place);
      requirePrecondition(precondition, before, shownPath(path));
      const { content, output } = change(oldContent);
      if (content === oldContent) return { output, prevExist: true, oldContent, newContent: content, etag: before };
      const { etag } = await writeInPlace(place, Buffer.from(content), { append: false, owner: undefined });
      this.#history.push(target, oldContent);
      return { output, prevExist: true, oldContent, newContent: content, etag };
    });
  }
}

/** Reads what is at the place, and follows no link that took its name. */
function readHeld(place: Place): Promise<TextRead> {
  return readText(place.shown, {}, place);
}
