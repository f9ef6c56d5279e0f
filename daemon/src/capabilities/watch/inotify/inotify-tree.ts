import type { ByteName } from '../../../core/files/byte-name.ts';
import { IN, type InotifyReader } from '../../../core/process/keeper/inotify-reader.ts';
import { type ChangeSink, type ChangeType, changeOf } from '../change.ts';
import type { WatchTerms } from '../watch-backend.ts';
import type { DirectoryNode } from './directory-node.ts';
import { type MovedFrom, PendingMoves } from './pending-moves.ts';
import { TreeWalk } from './tree-walk.ts';

/** Turns the kernel's events of the directories below a root into changes. */
export class InotifyTree {
  readonly #terms: WatchTerms;
  readonly #sink: ChangeSink;
  readonly #onRootGone: () => void;
  readonly #moves: PendingMoves;
  readonly #walk: TreeWalk;
  #clearing: Promise<void> | undefined;
  #isUnclear = false;
  #isClosed = false;

  /** `skipped`: absolute paths that are not descended into. */
  constructor(
    reader: InotifyReader,
    terms: WatchTerms,
    sink: ChangeSink,
    { skipped, onRootGone }: { readonly skipped: ReadonlySet<ByteName>; readonly onRootGone: () => void },
  ) {
    this.#terms = terms;
    this.#sink = sink;
    this.#onRootGone = onRootGone;
    this.#walk = new TreeWalk(reader, terms, skipped, {
      happened: (...event) => this.#happened(...event),
      created: (path, isDirectory) => this.#report('create', path, isDirectory),
      limited: () => this.#lost('watch_limit'),
    });
    this.#moves = new PendingMoves(
      (half) => {
        if (half.isVisible) this.#report('remove', half.path, half.isDirectory);
        if (half.node) void this.#walk.release(half.node);
      },
      () => reader.caughtUp(),
    );
  }

  /** @throws InotifyFailure as `TreeWalk.open` */
  open(report: boolean): Promise<void> {
    return this.#walk.open(report);
  }

  /** Scans everything again: directories that appeared without an event are watched from now on. */
  rescan(): Promise<void> {
    return this.#walk.rescan();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#moves.clear();
    await this.#walk.close();
  }

  #happened(node: DirectoryNode, mask: number, cookie: number, name: ByteName): void {
    if ((mask & (IN.ignored | IN.unmount)) !== 0) node.watch = undefined;
    if (name === '') {
      if (node === this.#walk.root) this.#rootHappened(mask);
      return;
    }
    // It left the tree while the reader was asked to watch it, and has no path any more.
    if (!node.isIn(this.#walk.root)) return;
    const isDirectory = (mask & IN.isDir) !== 0;
    const path = node.pathOf(name);
    const isVisible = !this.#terms.filter.excludes(path, isDirectory);
    if ((mask & IN.movedFrom) !== 0) {
      const isFresh = this.#isFresh(node);
      this.#moves.add(cookie, { path, isDirectory, isVisible, isFresh, node: node.children?.get(name) });
      node.announced?.delete(name);
    } else if ((mask & IN.movedTo) !== 0) this.#movedTo(node, name, { cookie, isDirectory, isVisible });
    else if (isVisible) this.#changed(node, name, { mask, path, isDirectory });
  }

  #rootHappened(mask: number): void {
    if ((mask & (IN.ignored | IN.unmount | IN.deleteSelf | IN.moveSelf)) !== 0) this.#onRootGone();
    else if ((mask & IN.attrib) !== 0) this.#report('chmod', '', true);
  }

  #changed(
    node: DirectoryNode,
    name: ByteName,
    { mask, path, isDirectory }: { mask: number; path: ByteName; isDirectory: boolean },
  ): void {
    if ((mask & IN.create) !== 0) this.#appeared(node, name, isDirectory);
    else if ((mask & IN.delete) !== 0) {
      node.announced?.delete(name);
      this.#report('remove', path, isDirectory);
      const child = node.children?.get(name);
      if (child) void this.#walk.release(child);
    } else if ((mask & IN.modify) !== 0) this.#report('write', path, isDirectory);
    else if ((mask & IN.attrib) !== 0) this.#report('chmod', path, isDirectory);
  }

  #appeared(node: DirectoryNode, name: ByteName, isDirectory: boolean): void {
    const path = node.pathOf(name);
    if (!node.announced?.delete(name)) {
      this.#report('create', path, isDirectory);
      // The walk may scan this directory after this event.
      if (this.#walk.isWalking) this.#walk.announce(node, name);
    }
    if (isDirectory && !node.children?.has(name)) this.#walk.follow(node, name);
  }

  #movedTo(
    node: DirectoryNode,
    name: ByteName,
    { cookie, isDirectory, isVisible }: { cookie: number; isDirectory: boolean; isVisible: boolean },
  ): void {
    const from = this.#moves.take(cookie);
    const path = node.pathOf(name);
    const replaced = node.children?.get(name);
    if (replaced && replaced !== from?.node) void this.#walk.release(replaced);
    node.announced?.delete(name);
    if (!from?.isVisible) {
      if (isVisible) this.#appeared(node, name, isDirectory);
      return;
    }
    if (!isVisible) {
      this.#report('remove', from.path, isDirectory);
      if (from.node) void this.#walk.release(from.node);
      return;
    }
    this.#report('rename', path, isDirectory, from.path);
    if (isDirectory) this.#movedDirectory(node, name, from);
  }

  #movedDirectory(node: DirectoryNode, name: ByteName, from: MovedFrom): void {
    const isFresh = from.isFresh || this.#isFresh(node);
    if (from.node && !node.isIn(from.node)) from.node.moveTo(node, name);
    else if (from.node) void this.#walk.release(from.node);
    if (isFresh) this.#rescanUnclear();
    // A directory that was renamed before it could be watched was not scanned either.
    if (from.node?.watch === undefined) this.#walk.follow(node, name);
  }

  /** Whether a scan may have reported a later state of the directory than that of its current events. */
  #isFresh(node: DirectoryNode): boolean {
    return this.#walk.isWalking || node.announced !== undefined;
  }

  /** Directories were created and renamed faster than they could be watched: their names are not certain. */
  #rescanUnclear(): void {
    this.#isUnclear = true;
    this.#clearing ??= this.#clear().finally(() => {
      this.#clearing = undefined;
    });
  }

  async #clear(): Promise<void> {
    while (this.#isUnclear && !this.#isClosed) {
      this.#isUnclear = false;
      this.#sink.lost('unclear_order');
      await this.rescan();
    }
    this.#lost('unclear_order');
  }

  #lost(reason: 'unclear_order' | 'watch_limit'): void {
    if (!this.#isClosed) this.#sink.lost(reason);
  }

  #report(type: ChangeType, path: ByteName, isDirectory: boolean, oldPath: ByteName | null = null): void {
    if (this.#isClosed) return;
    if (type === 'create' || type === 'rename') this.#moves.settle(path);
    const { filter } = this.#terms;
    const isWanted = filter.reports(path, isDirectory) || (oldPath !== null && filter.reports(oldPath, isDirectory));
    if (isWanted) this.#sink.change(changeOf(type, path, isDirectory, oldPath));
  }
}
