import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { timerMs } from '@sandbox/api/wait.ts';
import type { AgeClock } from '../../../core/clock/age-clock.ts';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import { bytesOfPath, type FilePath, nameOf, parentOf, samePath, shownPath } from '../../../core/files/file-path.ts';
import { HeldDirectory } from '../../../core/files/place/held-directory.ts';
import { newPartId } from '../../../core/files/place/make-directory.ts';
import { LineJournal } from '../../../core/records/line-journal.ts';
import { recordRefused } from '../../../core/records/runtime-space.ts';
import { removeTree } from '../change/delete.ts';
import { type KeptPart, lineOf, type PartNote, partPath, readNotes } from './part-note.ts';

/** Milliseconds after its last byte that a part of an upload is kept. */
export const KEPT_MS = 3_600_000;
/** Bytes of a journal from which on notes of finished parts are dropped. */
const JOURNAL_BYTES = 256 * 1024;
/** Bytes set aside for notes on a full disk. */
const RESERVE_BYTES = 16 * 1024;

/**
 * Notes on disk which parts lie beside their targets, so that after a crash the next daemon removes them, restores what
 * was moved aside, and removes kept parts of uploads an hour after their last byte. A note of a part that no call may
 * continue may be lost to a full disk: it only leaves its part behind after a crash.
 */
export class PartJournal implements Disposable {
  readonly #file: string;
  readonly #clock: AgeClock;
  readonly #keptMs: number;
  readonly #open = new Map<string, PartNote>();
  readonly #expiries = new Map<string, NodeJS.Timeout>();
  /** Undefined if the file cannot be opened, and after the end. */
  #lines: LineJournal | undefined;
  #lengthMax = JOURNAL_BYTES;
  #isDisposed = false;

  /**
   * Removes the parts of an earlier daemon in the background.
   * @param file of the journal
   * @param keptMs milliseconds after its last byte that a kept part is removed
   */
  constructor(file: string, clock: AgeClock, keptMs = KEPT_MS) {
    this.#file = file;
    this.#clock = clock;
    this.#keptMs = keptMs;
    quietly(() => {
      for (const note of readNotes(file)) this.#open.set(keyOf(note.path), note);
    });
    const left = [...this.#open.values()];
    quietly(() => {
      this.#lines = new LineJournal(file, { reserveBytes: RESERVE_BYTES });
    });
    this.#rewrite();
    for (const { path, kept } of left) if (kept) this.#expireAfter(path, keptMs - this.#ageOf(path, kept));
    void this.#removeLeft(left.filter(({ kept }) => !kept));
  }

  /** A path in the directory for a new part; the caller calls `end` when the part is moved or removed. */
  begin(directory: FilePath): FilePath {
    return this.#note({ path: partPath(directory, newPartId()) });
  }

  /** A path for what is at `target` during its replacement; after a crash before that it gets its name back. */
  beginAside(target: FilePath): FilePath {
    return this.#note({ path: partPath(parentOf(target), newPartId()), origin: nameOf(target) });
  }

  /**
   * Notes a part, before it is created, that later calls and later daemons may continue. It does not expire until the
   * answer is disposed; then its time begins.
   * @throws SandboxError `disk_full`, `unavailable` if the note cannot be written
   */
  keep(part: FilePath): Disposable {
    const key = keyOf(part);
    if (!this.#open.has(key)) this.#promise({ path: part, kept: { inode: undefined, tick: this.#tick() } });
    clearTimeout(this.#expiries.get(key));
    return {
      [Symbol.dispose]: () => {
        const kept = this.#open.get(key)?.kept;
        if (kept === undefined || this.#isDisposed) return;
        this.#note({ path: part, kept: { ...kept, tick: this.#tick() } });
        this.#expireAfter(part, this.#keptMs);
      },
    };
  }

  /** Notes the inode of a kept part, so that another file with its name is not taken for it. @throws as `keep` */
  identify(part: FilePath, inode: number): void {
    if (this.inodeOf(part) !== inode) this.#promise({ path: part, kept: { inode, tick: this.#tick() } });
  }

  /** The inode of a kept part; undefined if it has not been created. */
  inodeOf(part: FilePath): number | undefined {
    return this.#open.get(keyOf(part))?.kept?.inode;
  }

  /** Drops the note of a part that was moved or removed. */
  end(part: FilePath): void {
    const key = keyOf(part);
    clearTimeout(this.#expiries.get(key));
    this.#expiries.delete(key);
    if (this.#open.delete(key) && this.#open.size === 0 && this.#lines && this.#lines.length > 0) this.#rewrite();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const timer of this.#expiries.values()) clearTimeout(timer);
    this.#expiries.clear();
    this.#lines?.[Symbol.dispose]();
    this.#lines = undefined;
  }

  #promise(note: PartNote): void {
    try {
      this.#lines?.append(lineOf(note), { spend: true });
    } catch (error) {
      throw recordRefused(error, dirname(this.#file));
    }
    this.#open.set(keyOf(note.path), note);
  }

  #note(note: PartNote): FilePath {
    this.#open.set(keyOf(note.path), note);
    if (this.#lines && this.#lines.length > this.#lengthMax) this.#rewrite();
    else quietly(() => this.#lines?.append(lineOf(note), { spend: true }));
    return note.path;
  }

  /** Rewrites the journal without the notes of finished parts. */
  #rewrite(): void {
    quietly(() => {
      if (this.#open.size === 0) this.#lines?.clear();
      else this.#lines?.replace([...this.#open.values()].map(lineOf));
      // Many open parts must not rewrite the journal at each note.
      this.#lengthMax = Math.max(JOURNAL_BYTES, 2 * (this.#lines?.length ?? 0));
    });
  }

  async #removeLeft(left: readonly PartNote[]): Promise<void> {
    for (const note of left) {
      await removeOrRestore(note).catch((error: unknown) => {
        if (systemCodeOf(error) === undefined) throw error;
      });
      this.end(note.path);
    }
  }

  #tick(): number {
    return Math.round(this.#clock.now());
  }

  /**
   * Milliseconds since the last byte of a part of an earlier daemon. The note has the last call, in which that daemon
   * may have died; the time of the file has the byte, unless the wall clock was set forward.
   */
  #ageOf(part: FilePath, { tick }: KeptPart): number {
    const modified = modifiedAt(part);
    if (modified === undefined) return Number.POSITIVE_INFINITY;
    const byFile = Math.max(0, Date.now() - modified.getTime());
    return tick === undefined ? byFile : Math.min(byFile, this.#clock.since(tick));
  }

  #expireAfter(part: FilePath, ms: number): void {
    const step = timerMs(ms);
    const expire = (): void => {
      if (step < ms) {
        this.#expireAfter(part, ms - step);
        return;
      }
      removePart(part);
      this.end(part);
    };
    this.#expiries.set(keyOf(part), setTimeout(expire, step).unref());
  }
}

/** Works in the directory of the note, unless a link leads to it now, and follows no link that took the part's name. */
async function removeOrRestore({ path, origin }: PartNote): Promise<void> {
  using directory = openNoted(path);
  const left = directory.at(nameOf(path));
  const target = origin === undefined ? undefined : directory.at(origin);
  const isFree = target !== undefined && !lstatSync(target, { throwIfNoEntry: false });
  if (isFree) renameSync(left, target);
  else await removeTree(left);
}

/** The directory of a part. @throws as `open` does; `ELOOP` if a link is on the way, since notes have real paths */
function openNoted(part: FilePath): HeldDirectory {
  const parent = parentOf(part);
  const directory = HeldDirectory.open(parent, { follow: true });
  if (samePath(directory.path, parent)) return directory;
  directory[Symbol.dispose]();
  throw Object.assign(new Error(`ELOOP: a link leads to ${shownPath(part)}`), { code: 'ELOOP' });
}

/** Undefined if it is not there. */
function modifiedAt(part: FilePath): Date | undefined {
  let modified: Date | undefined;
  quietly(() => {
    using directory = openNoted(part);
    modified = lstatSync(directory.at(nameOf(part))).mtime;
  });
  return modified;
}

function removePart(part: FilePath): void {
  quietly(() => {
    using directory = openNoted(part);
    unlinkSync(directory.at(nameOf(part)));
  });
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
