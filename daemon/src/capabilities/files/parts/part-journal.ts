import { randomBytes } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import { bytesOfPath, type FilePath, nameOf, parentOf } from '../../../core/files/file-path.ts';
import { removeTree } from '../change/delete.ts';
import { HeldDirectory } from '../change/held-directory.ts';
import { lineOf, type PartNote, partPath, readNotes } from './part-note.ts';

/** Milliseconds after its last byte that a part of an upload is kept. */
export const KEPT_MS = 3_600_000;
/** Bytes of a journal from which on notes of finished parts are dropped. */
const JOURNAL_BYTES = 256 * 1024;
const CLOSED = -1;

/**
 * Notes on disk which parts lie beside their targets, so that after a crash the next daemon removes them, restores what
 * was moved aside, and removes kept parts of uploads an hour after their last byte. A note that cannot be written is
 * not an error: it only leaves its part behind after a crash.
 */
export class PartJournal implements Disposable {
  readonly #file: string;
  readonly #keptMs: number;
  readonly #open = new Map<string, PartNote>();
  readonly #expiries = new Map<string, NodeJS.Timeout>();
  #descriptor = CLOSED;
  #length = 0;
  #lengthMax = JOURNAL_BYTES;

  /**
   * Removes the parts of an earlier daemon in the background.
   * @param file of the journal
   * @param keptMs milliseconds after its last byte that a kept part is removed
   */
  constructor(file: string, keptMs = KEPT_MS) {
    this.#file = file;
    this.#keptMs = keptMs;
    let left: PartNote[] = [];
    quietly(() => {
      left = readNotes(file);
    });
    for (const note of left) this.#open.set(keyOf(note.path), note);
    quietly(() => {
      this.#descriptor = openSync(file, 'a', 0o600);
    });
    this.#rewrite();
    for (const note of left) if (note.origin === 'kept') this.#expireAfter(note.path, 0);
    void this.#removeLeft(left.filter(({ origin }) => origin !== 'kept'));
  }

  /** A path in the directory for a new part; the caller calls `end` when the part is moved or removed. */
  begin(directory: FilePath): FilePath {
    return this.#note({ path: partPath(directory, randomBytes(12).toString('hex')), origin: undefined });
  }

  /** A path for what is at `target` during its replacement; after a crash before that it gets its name back. */
  beginAside(target: FilePath): FilePath {
    const path = partPath(parentOf(target), randomBytes(12).toString('hex'));
    return this.#note({ path, origin: { name: nameOf(target) } });
  }

  /** Notes a part, before it is created, that later calls and later daemons may continue. */
  keep(part: FilePath): void {
    if (this.#open.has(keyOf(part))) return;
    this.#note({ path: part, origin: 'kept' });
    this.#expireAfter(part, this.#keptMs);
  }

  /** Drops the note of a part that was moved or removed. */
  end(part: FilePath): void {
    const key = keyOf(part);
    clearTimeout(this.#expiries.get(key));
    this.#expiries.delete(key);
    if (this.#open.delete(key) && this.#open.size === 0 && this.#length > 0) this.#rewrite();
  }

  [Symbol.dispose](): void {
    for (const timer of this.#expiries.values()) clearTimeout(timer);
    this.#expiries.clear();
    if (this.#descriptor !== CLOSED) closeSync(this.#descriptor);
    this.#descriptor = CLOSED;
  }

  #note(note: PartNote): FilePath {
    this.#open.set(keyOf(note.path), note);
    if (this.#length > this.#lengthMax) this.#rewrite();
    else this.#append(lineOf(note));
    return note.path;
  }

  #append(text: string): void {
    if (this.#descriptor === CLOSED) return;
    quietly(() => {
      this.#length += writeSync(this.#descriptor, text);
    });
  }

  /** Writes the journal without the notes of finished parts. */
  #rewrite(): void {
    if (this.#descriptor === CLOSED) return;
    const text = [...this.#open.values()].map(lineOf).join('');
    quietly(() => {
      if (text === '') ftruncateSync(this.#descriptor, 0);
      else this.#replace(text);
      this.#length = text.length;
      // Many open parts must not rewrite the journal at each note.
      this.#lengthMax = Math.max(JOURNAL_BYTES, 2 * text.length);
    });
  }

  #replace(text: string): void {
    writeFileSync(`${this.#file}.new`, text, { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
    closeSync(this.#descriptor);
    this.#descriptor = openSync(this.#file, 'a', 0o600);
  }

  async #removeLeft(left: readonly PartNote[]): Promise<void> {
    for (const note of left) {
      await removeOrRestore(note).catch((error: unknown) => {
        if (systemCodeOf(error) === undefined) throw error;
      });
      this.end(note.path);
    }
  }

  #expireAfter(part: FilePath, ms: number): void {
    const expire = (): void => {
      const left = lastWritten(part) + this.#keptMs - Date.now();
      if (left > 0) this.#expireAfter(part, left);
      else {
        quietly(() => unlinkSync(part));
        this.end(part);
      }
    };
    this.#expiries.set(keyOf(part), setTimeout(expire, ms).unref());
  }
}

/** Works in the directory that now has the path, and follows no link that took the place of the part. */
async function removeOrRestore({ path, origin }: PartNote): Promise<void> {
  using directory = HeldDirectory.open(parentOf(path), { follow: true });
  const left = directory.at(nameOf(path));
  const target = typeof origin === 'object' ? directory.at(origin.name) : undefined;
  const isFree = target !== undefined && !lstatSync(target, { throwIfNoEntry: false });
  if (isFree) renameSync(left, target);
  else await removeTree(left);
}

/** Milliseconds since 1970; 0 where the part cannot be reached. */
function lastWritten(part: FilePath): number {
  let time = 0;
  quietly(() => {
    time = lstatSync(part).mtimeMs;
  });
  return time;
}

function keyOf(path: FilePath): string {
  return bytesOfPath(path).toString('latin1');
}

function quietly(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}
