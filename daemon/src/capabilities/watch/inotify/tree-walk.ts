import { type ByteName, bytesOf } from '../../../core/files/byte-name.ts';
import { entriesOf } from '../../../core/files/directory-entries.ts';
import { IN, type InotifyReader } from '../../../core/process/keeper/inotify-reader.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import type { WatchTerms } from '../watch-backend.ts';
import { absoluteName } from '../watch-event.ts';
import { isWatchLimit } from '../watch-limits.ts';
import { DirectoryNode, type TreeEvents } from './directory-node.ts';

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
/** Directories that are sent to the reader at once. */
const BATCH = 256;

export interface VisitTerms {
  /** Entries that are found are reported as created. */
  readonly report: boolean;
  /** Known directories below are visited too: events may be missing. */
  readonly again: boolean;
}

interface Visit extends VisitTerms {
  readonly node: DirectoryNode;
}

/** What a walk says to its tree. */
export interface WalkEvents extends TreeEvents {
  readonly created: (path: ByteName, isDirectory: boolean) => void;
  /** A directory cannot be watched: the limit of watches is reached. */
  readonly limited: () => void;
}

/** Finds the directories below a root and watches each, while events of those already watched come in. */
export class TreeWalk {
  readonly root: DirectoryNode;
  readonly #reader: InotifyReader;
  readonly #terms: WatchTerms;
  readonly #events: WalkEvents;
  readonly #skipped: ReadonlySet<ByteName>;
  /** The nodes with `announced` names, so that a scan and the kernel do not both report a creation. */
  #announcing: DirectoryNode[] = [];
  #visits: Visit[] = [];
  #isOpening = false;
  #walking: Promise<void> | undefined;
  /** Walks that have ended. */
  #walks = 0;
  #isClosed = false;

  /** @param skipped absolute paths that are not descended into */
  constructor(reader: InotifyReader, terms: WatchTerms, skipped: ReadonlySet<ByteName>, events: WalkEvents) {
    this.#reader = reader;
    this.#terms = terms;
    this.#skipped = skipped;
    this.#events = events;
    this.root = new DirectoryNode(events, '');
  }

  get isWalking(): boolean {
    return this.#isOpening || this.#walking !== undefined;
  }

  /**
   * Watches the root and everything below it.
   * @throws InotifyFailure if the root cannot be watched, or a directory below it because of the limit of watches
   */
  async open(report: boolean): Promise<void> {
    const { root, recursive } = this.#terms;
    this.root.watch = await this.#reader.add(bytesOf(root), WITHIN | IN.onlyDir, this.root);
    if (this.#isClosed) this.#reader.drop(this.root.watch, this.root);
    else if (recursive || report) {
      this.#isOpening = true;
      await this.#scan(this.root, { report, again: false });
      this.#isOpening = false;
    }
    await this.#walk();
  }

  /** Scans everything again: directories that appeared without an event are watched from now on. */
  async rescan(): Promise<void> {
    this.#visits.push({ node: this.root, report: false, again: true });
    await this.#walk().catch(() => this.#events.limited());
  }

  /** Watches a directory that appeared in `node`, and reports what it contains. */
  follow(node: DirectoryNode, name: ByteName): void {
    this.#descend(node, name, { report: true, again: false });
    void this.#walk().catch(() => this.#events.limited());
  }

  /** Keeps in mind that the creation of the entry was reported, until the walk has ended. */
  announce(node: DirectoryNode, name: ByteName): void {
    if (node.announced === undefined) {
      node.announced = new Set();
      this.#announcing.push(node);
    }
    node.announced.add(name);
  }

  /** Ends the watches of a directory and of those below it. */
  async release(top: DirectoryNode): Promise<void> {
    top.unlink();
    for (const node of top.all()) {
      if (node.watch !== undefined) this.#reader.drop(node.watch, node);
      node.watch = undefined;
      if (isTurnSpent()) await yieldToEventLoop();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#visits = [];
    await this.#walking?.catch(() => undefined);
    if (!this.#reader.isGone) await this.release(this.root);
  }

  #walk(): Promise<void> {
    this.#walking ??= this.#visitAll().finally(() => {
      this.#walking = undefined;
      this.#walks += 1;
      if (this.#announcing.length > 0) void this.#forgetAnnounced(this.#walks);
    });
    return this.#walking;
  }

  /** Forgets when the events from before the end of the walk are handled; a later walk forgets for both. */
  async #forgetAnnounced(walks: number): Promise<void> {
    await this.#reader.caughtUp();
    if (this.isWalking || this.#walks !== walks) return;
    for (const node of this.#announcing) node.announced = undefined;
    this.#announcing = [];
  }

  async #visitAll(): Promise<void> {
    while (this.#visits.length > 0 && !this.#isClosed) {
      const batch = this.#visits.splice(-BATCH);
      const outcomes = await Promise.allSettled(batch.map(({ node }) => this.#watch(node)));
      for (const [index, outcome] of outcomes.entries()) {
        const visit = batch[index];
        if (outcome.status === 'rejected') throw outcome.reason;
        if (visit && outcome.value) await this.#scan(visit.node, visit);
      }
      await yieldToEventLoop();
    }
  }

  /** False if the directory no longer exists or may not be read. @throws InotifyFailure at the limit of watches */
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

  async #scan(node: DirectoryNode, terms: VisitTerms): Promise<void> {
    const found = terms.again ? new Set<ByteName>() : undefined;
    try {
      for (const entry of entriesOf(this.#absolute(node.path))) {
        const { name } = entry;
        const isDirectory = entry.isDirectory();
        this.#found(node, name, isDirectory, terms);
        if (isDirectory) found?.add(name);
        if (!isTurnSpent()) continue;
        await yieldToEventLoop();
        if (this.#isClosed || !node.isIn(this.root)) return;
      }
    } catch {
      // It was removed or may not be listed; its watch reports its events.
      return;
    }
    if (found === undefined) return;
    for (const [name, child] of [...(node.children ?? [])]) if (!found.has(name)) await this.release(child);
  }

  #found(node: DirectoryNode, name: ByteName, isDirectory: boolean, { report, again }: VisitTerms): void {
    if (!isDirectory && !report) return;
    const path = node.pathOf(name);
    if (this.#terms.filter.excludes(path, isDirectory)) return;
    const known = node.children?.get(name);
    if (report && known === undefined && !node.announced?.has(name)) {
      this.#events.created(path, isDirectory);
      this.announce(node, name);
    }
    if (isDirectory && (again || known === undefined)) this.#descend(node, name, { report, again });
  }

  #descend(node: DirectoryNode, name: ByteName, terms: VisitTerms): void {
    if (!this.#terms.recursive || this.#skipped.has(this.#absolute(node.pathOf(name)))) return;
    const child = node.children?.get(name) ?? node.addChild(name);
    this.#visits.push({ node: child, ...terms });
  }

  #absolute(path: ByteName): ByteName {
    return absoluteName(this.#terms.root, path);
  }
}
