import { type ByteName, bytesOf } from '../../../core/files/byte-name.ts';
import { entriesOf } from '../../../core/files/directory-entries.ts';
import { IN, type InotifyReader } from '../../../core/process/keeper/inotify-reader.ts';
import { yieldToEventLoop } from '../../../core/turns.ts';
import { type Change, type ChangeSink, type ChangeType, changeOf } from '../change.ts';
import type { WatchTerms } from '../watch-backend.ts';
import { isWatchLimit } from '../watch-limits.ts';
import { DirectoryNode } from './directory-node.ts';
import { type MovedFrom, PendingMoves } from './pending-moves.ts';

const WITHIN =
  IN.create |
  IN.delete |
  IN.modify |
  IN.attrib |
  IN.movedFrom |
  IN.movedTo |
  IN.deleteSelf |
  IN.moveSelf |
  IN.exclUnlink;
/** Directories that are on their way to the reader at once. */
const BATCH = 256;

/** `report`: what is found there is told as created. `again`: something may have been missed. */
type Visit = { readonly node: DirectoryNode; readonly report: boolean; readonly again: boolean };

/** The directories below a root, each with its watch. */
export class InotifyTree {
  readonly root: DirectoryNode;
  readonly #reader: InotifyReader;
  readonly #terms: WatchTerms;
  readonly #sink: ChangeSink;
  readonly #onRootGone: () => void;
  readonly #moves: PendingMoves;
  readonly #skipped: ReadonlySet<ByteName>;
  /** Whose creations that were told are remembered, so that of looking and the kernel one alone tells them. */
  #remembering: DirectoryNode[] = [];
  #visits: Visit[] = [];
  #isOpening = false;
  #walk: Promise<void> | undefined;
  #walks = 0;
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
    this.#reader = reader;
    this.#terms = terms;
    this.#sink = sink;
    this.#skipped = skipped;
    this.#onRootGone = onRootGone;
    this.#moves = new PendingMoves(
      (half) => {
        if (half.isVisible) this.#tell('remove', half.path, half.isDirectory);
        if (half.node) void this.#release(half.node);
      },
      () => reader.caughtUp(),
    );
    this.root = new DirectoryNode({ happened: (...event) => this.#happened(...event) }, '');
  }

  /**
   * Watches the root and all that is below it.
   * @throws InotifyFailure where the root cannot be watched, or one below it for want of watches
   */
  async open(report: boolean): Promise<void> {
    const { root } = this.#terms;
    this.root.watch = await this.#reader.add(bytesOf(root), WITHIN | IN.onlyDir, this.root);
    if (this.#isClosed) this.#reader.drop(this.root.watch, this.root);
    else if (this.#terms.recursive || report) {
      this.#isOpening = true;
      await this.#look(this.root, { report, again: false });
      this.#isOpening = false;
    }
    await this.#walkOn();
  }

  /** Looks again at everything: directories that appeared unseen are watched from now on. */
  async lookAgain(): Promise<void> {
    this.#visits.push({ node: this.root, report: false, again: true });
    await this.#walkOn().catch(() => this.#cannotWatch());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#moves.clear();
    this.#visits = [];
    await this.#walk?.catch(() => undefined);
    if (!this.#reader.isGone) await this.#release(this.root);
  }

  get #isLooking(): boolean {
    return this.#isOpening || this.#walk !== undefined;
  }

  #walkOn(): Promise<void> {
    this.#walk ??= this.#visitAll().finally(() => {
      this.#walk = undefined;
      this.#walks += 1;
      if (this.#remembering.length > 0) void this.#forgetTold(this.#walks);
    });
    return this.#walk;
  }

  /** What the kernel had seen before the walk ended was told then, unless there was another walk meanwhile, which forgets for both. */
  async #forgetTold(walks: number): Promise<void> {
    await this.#reader.caughtUp();
    if (this.#isLooking || this.#walks !== walks) return;
    for (const node of this.#remembering) node.told = undefined;
    this.#remembering = [];
  }

  async #visitAll(): Promise<void> {
    while (this.#visits.length > 0 && !this.#isClosed) {
      const batch = this.#visits.splice(-BATCH);
      const outcomes = await Promise.allSettled(batch.map(({ node }) => this.#watch(node)));
      for (const [index, outcome] of outcomes.entries()) {
        const visit = batch[index];
        if (outcome.status === 'rejected') throw outcome.reason;
        if (visit && outcome.value) await this.#look(visit.node, visit);
      }
      await yieldToEventLoop();
    }
  }

  /** False where it is not there any more, or not for us to see. */
  async #watch(node: DirectoryNode): Promise<boolean> {
    const { path } = node;
    try {
      const link = node === this.root ? 0 : IN.dontFollow;
      const watch = await this.#reader.add(bytesOf(this.#absolute(path)), WITHIN | IN.onlyDir | link, node);
      if (node.watch !== undefined && node.watch !== watch) this.#reader.drop(node.watch, node);
      node.watch = watch;
      if (!this.#isClosed && node.isIn(this.root)) return true;
      this.#reader.drop(watch, node);
      return false;
    } catch (error) {
      if (isWatchLimit(error)) throw error;
      if (this.#reader.isGone || !node.isIn(this.root)) return false;
      return node.path === path ? false : this.#watch(node);
    }
  }

  async #look(node: DirectoryNode, { report, again }: Omit<Visit, 'node'>): Promise<void> {
    const there = again ? new Set<ByteName>() : undefined;
    try {
      for (const entry of entriesOf(this.#absolute(node.path))) {
        const { name } = entry;
        const isDirectory = entry.isDirectory();
        this.#found(node, name, { isDirectory, report, again });
        if (isDirectory) there?.add(name);
        await yieldToEventLoop();
        if (this.#isClosed || !node.isIn(this.root)) return;
      }
    } catch {
      // It went away, or may not be listed: the watch tells what happens in it.
      return;
    }
    if (there === undefined) return;
    for (const [name, child] of [...(node.children ?? [])]) if (!there.has(name)) await this.#release(child);
  }

  #found(
    node: DirectoryNode,
    name: ByteName,
    { isDirectory, report, again }: { isDirectory: boolean; report: boolean; again: boolean },
  ): void {
    if (!isDirectory && !report) return;
    const path = node.pathOf(name);
    if (this.#terms.filter.excludes(path, isDirectory)) return;
    const known = node.children?.get(name);
    if (report && known === undefined && !node.told?.has(name)) {
      this.#tell('create', path, isDirectory);
      this.#remember(node, name);
    }
    if (isDirectory && (again || known === undefined)) this.#descend(node, name, { report, again });
  }

  #descend(node: DirectoryNode, name: ByteName, { report, again }: Omit<Visit, 'node'>): void {
    if (!this.#terms.recursive || this.#skipped.has(this.#absolute(node.pathOf(name)))) return;
    const child = node.children?.get(name) ?? node.addChild(name);
    this.#visits.push({ node: child, report, again });
  }

  #happened(node: DirectoryNode, mask: number, cookie: number, name: ByteName): void {
    if ((mask & (IN.ignored | IN.unmount)) !== 0) node.watch = undefined;
    if (name === '') {
      if (node !== this.root) return;
      if ((mask & (IN.ignored | IN.unmount | IN.deleteSelf | IN.moveSelf)) !== 0) this.#onRootGone();
      else if ((mask & IN.attrib) !== 0) this.#tell('chmod', '', true);
      return;
    }
    const isDirectory = (mask & IN.isDir) !== 0;
    const path = node.pathOf(name);
    const isVisible = !this.#terms.filter.excludes(path, isDirectory);
    if ((mask & IN.movedFrom) !== 0) {
      const isFresh = this.#isFresh(node);
      this.#moves.add(cookie, { path, isDirectory, isVisible, isFresh, node: node.children?.get(name) });
      node.told?.delete(name);
    } else if ((mask & IN.movedTo) !== 0) this.#movedTo(node, name, { cookie, isDirectory, isVisible });
    else if (isVisible) this.#changed(node, name, { mask, path, isDirectory });
  }

  #changed(
    node: DirectoryNode,
    name: ByteName,
    { mask, path, isDirectory }: { mask: number; path: ByteName; isDirectory: boolean },
  ): void {
    if ((mask & IN.create) !== 0) this.#appeared(node, name, isDirectory);
    else if ((mask & IN.delete) !== 0) {
      node.told?.delete(name);
      this.#tell('remove', path, isDirectory);
      const child = node.children?.get(name);
      if (child) void this.#release(child);
    } else if ((mask & IN.modify) !== 0) this.#tell('write', path, isDirectory);
    else if ((mask & IN.attrib) !== 0) this.#tell('chmod', path, isDirectory);
  }

  #appeared(node: DirectoryNode, name: ByteName, isDirectory: boolean): void {
    const path = node.pathOf(name);
    if (!node.told?.delete(name)) {
      this.#tell('create', path, isDirectory);
      // Who is about to look there need not tell it again.
      if (this.#isLooking) this.#remember(node, name);
    }
    if (!isDirectory || node.children?.has(name)) return;
    this.#descend(node, name, { report: true, again: false });
    void this.#walkOn().catch(() => this.#cannotWatch());
  }

  #movedTo(
    node: DirectoryNode,
    name: ByteName,
    { cookie, isDirectory, isVisible }: { cookie: number; isDirectory: boolean; isVisible: boolean },
  ): void {
    const from = this.#moves.take(cookie);
    const path = node.pathOf(name);
    const replaced = node.children?.get(name);
    if (replaced && replaced !== from?.node) void this.#release(replaced);
    node.told?.delete(name);
    if (!from?.isVisible) {
      if (isVisible) this.#appeared(node, name, isDirectory);
      return;
    }
    if (!isVisible) {
      this.#tell('remove', from.path, isDirectory);
      if (from.node) void this.#release(from.node);
      return;
    }
    this.#tell('rename', path, isDirectory, from.path);
    if (isDirectory) this.#movedDirectory(node, name, from);
  }

  #movedDirectory(node: DirectoryNode, name: ByteName, from: MovedFrom): void {
    const isFresh = from.isFresh || this.#isFresh(node);
    if (from.node && !node.isIn(from.node)) from.node.moveTo(node, name);
    else if (from.node) void this.#release(from.node);
    if (isFresh) this.#lookAgainWhereUnclear();
    // One that was renamed before it could be watched was not looked into either.
    if (from.node?.watch !== undefined) return;
    this.#descend(node, name, { report: true, again: false });
    void this.#walkOn().catch(() => this.#cannotWatch());
  }

  /** What was told of it may come from a look at a later state than that of the events that come now. */
  #isFresh(node: DirectoryNode): boolean {
    return this.#isLooking || node.told !== undefined;
  }

  /** Directories were made and renamed faster than they could be taken up: no telling which one has which name. */
  #lookAgainWhereUnclear(): void {
    this.#isUnclear = true;
    this.#clearing ??= this.#clear().finally(() => {
      this.#clearing = undefined;
    });
  }

  async #clear(): Promise<void> {
    while (this.#isUnclear && !this.#isClosed) {
      this.#isUnclear = false;
      this.#sink.lost('unclear_order');
      await this.lookAgain();
    }
    if (!this.#isClosed) this.#sink.lost('unclear_order');
  }

  #tell(type: ChangeType, path: ByteName, isDirectory: boolean, oldPath: ByteName | null = null): void {
    if (this.#isClosed) return;
    if (type === 'create' || type === 'rename') this.#moves.settle(path);
    const { filter } = this.#terms;
    const isWanted = filter.reports(path, isDirectory) || (oldPath !== null && filter.reports(oldPath, isDirectory));
    const change: Change = changeOf(type, path, isDirectory, oldPath);
    if (isWanted) this.#sink.change(change);
  }

  #remember(node: DirectoryNode, name: ByteName): void {
    if (node.told === undefined) {
      node.told = new Set();
      this.#remembering.push(node);
    }
    node.told.add(name);
  }

  #cannotWatch(): void {
    if (!this.#isClosed) this.#sink.lost('watch_limit');
  }

  async #release(top: DirectoryNode): Promise<void> {
    top.unlink();
    for (const node of top.all()) {
      if (node.watch !== undefined) this.#reader.drop(node.watch, node);
      node.watch = undefined;
      await yieldToEventLoop();
    }
  }

  #absolute(path: ByteName): ByteName {
    const { root } = this.#terms;
    if (path === '') return root;
    return root === '/' ? `/${path}` : `${root}/${path}`;
  }
}
