import { type BigIntStats, statSync } from 'node:fs';
import { type ByteName, bytesOf } from '../../../core/files/byte-name.ts';
import { madeUpMounts } from '../../../core/files/directory-entries.ts';
import { IN, type InotifyReader, type InotifyWitness } from '../../../core/process/keeper/inotify-reader.ts';
import { type ChangeSink, changeOf } from '../change.ts';
import { RootPath } from '../root-path.ts';
import type { WatchTerms } from '../watch-backend.ts';
import { InotifyTree } from './inotify-tree.ts';

/** The file or directory that the path of the root leads to. */
interface Root {
  readonly isDirectory: boolean;
  /** Distinguishes two directories that had the same name one after the other. */
  readonly identity: string;
}

/** Watches a root and, if it is a directory, its tree; again whenever its path leads to another file or directory. */
export class InotifyWatch implements AsyncDisposable, InotifyWitness {
  readonly #reader: InotifyReader;
  readonly #terms: WatchTerms;
  readonly #sink: ChangeSink;
  readonly #onReaderGone: () => void;
  readonly #path: RootPath;
  readonly #leave: () => void;
  #root: Root | undefined;
  #tree: InotifyTree | undefined;
  #checking: Promise<void> | undefined;
  #isStale = false;
  #isClosed = false;

  constructor(reader: InotifyReader, terms: WatchTerms, sink: ChangeSink, onReaderGone: () => void) {
    this.#reader = reader;
    this.#terms = terms;
    this.#sink = sink;
    this.#onReaderGone = onReaderGone;
    this.#path = new RootPath(reader, terms.root, {
      onMoved: () => this.#check(),
      onLast: (mask) => this.#rootEvent(mask),
    });
    this.#leave = reader.join(this);
  }

  /** @throws InotifyFailure */
  async open(): Promise<void> {
    await this.#path.follow(!(rootAt(this.#terms.root)?.isDirectory ?? false));
    this.#root = rootAt(this.#terms.root);
    if (this.#root?.isDirectory) await this.#openTree(false);
  }

  onOverflow(): void {
    const report = (): void => {
      if (!this.#isClosed) this.#sink.lost('queue_overflow');
    };
    report();
    // Again when everything is watched: a reader that lists the directory after that misses nothing.
    void this.#tree?.rescan().then(report);
    this.#check();
  }

  onGone(): void {
    if (!this.#isClosed) this.#onReaderGone();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#leave();
    if (!this.#reader.isGone) this.#path.close();
    await this.#checking;
    await this.#tree?.close();
  }

  #rootEvent(mask: number): void {
    const isDirectory = (mask & IN.isDir) !== 0;
    if ((mask & (IN.create | IN.delete | IN.movedFrom | IN.movedTo)) !== 0) {
      // The name leads to another file or directory now, even one with the same identity.
      if ((mask & (IN.delete | IN.movedFrom)) !== 0) this.#rootIsGone();
      this.#check();
    } else if (!isDirectory && this.#root !== undefined) {
      this.#sink.change(changeOf((mask & IN.modify) !== 0 ? 'write' : 'chmod', '', false));
    }
  }

  #rootIsGone(): void {
    const root = this.#root;
    if (root === undefined) return;
    this.#root = undefined;
    void this.#tree?.close();
    this.#tree = undefined;
    this.#sink.change(changeOf('remove', '', root.isDirectory));
  }

  /** Follows the path again, and once more if another event comes meanwhile. */
  #check(): void {
    this.#isStale = true;
    this.#checking ??= this.#checkAll()
      .catch(() => {
        if (!this.#isClosed && !this.#reader.isGone) this.#sink.lost('watch_limit');
      })
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async #checkAll(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      const before = rootAt(this.#terms.root);
      await this.#path.follow(!(before?.isDirectory ?? false));
      const now = rootAt(this.#terms.root);
      const known = this.#root;
      if (this.#isClosed || (now?.identity === known?.identity && this.#hasTree(now))) continue;
      if (known && now && !known.isDirectory && !now.isDirectory) {
        // Editors write by replacing a file with another.
        this.#root = now;
        this.#sink.change(changeOf('write', '', false));
        continue;
      }
      this.#rootIsGone();
      this.#root = now;
      if (now === undefined) continue;
      this.#sink.change(changeOf('create', '', now.isDirectory));
      if (now.isDirectory) await this.#openTree(true);
    }
  }

  #hasTree(root: Root | undefined): boolean {
    return !root?.isDirectory || this.#tree !== undefined;
  }

  async #openTree(report: boolean): Promise<void> {
    const tree = new InotifyTree(this.#reader, this.#terms, this.#sink, {
      skipped: this.#terms.recursive ? madeUpMounts() : new Set(),
      onRootGone: () => {
        if (this.#tree !== tree) return;
        this.#rootIsGone();
        this.#check();
      },
    });
    this.#tree = tree;
    try {
      await tree.open(report);
    } catch (error) {
      await tree.close();
      if (this.#tree === tree) this.#tree = undefined;
      throw error;
    }
  }
}

function rootAt(path: ByteName): Root | undefined {
  let stat: BigIntStats | undefined;
  try {
    stat = statSync(bytesOf(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    // A root that cannot be reached counts as missing.
  }
  return stat && { isDirectory: stat.isDirectory(), identity: `${stat.dev}:${stat.ino}` };
}
