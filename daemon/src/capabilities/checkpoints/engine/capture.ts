import { constants } from 'node:os';
import type { InodeId, TreeContent } from '../../../core/process/tree/tree-frames.ts';
import type { TreeDirectory, TreeHelper } from '../../../core/process/tree/tree-helper.ts';
import { type Entry, entriesOf, entryAt, inodeKeyOf, pathIn } from '../tree/entry.ts';
import { type Content, hasRacy, type Segment, walkedPart } from '../tree/segment.ts';
import { CapturedTree, type StoredTree } from '../tree/tree-view.ts';
import type { IncomingContents } from './contents.ts';

/** A file that was changed so shortly before it was read, in nanoseconds, could change again within one tick of its times. */
const RACY_NS = 20_000_000n;
/** Milliseconds for files that leases of other processes keep closed, and between two attempts. */
const LEASE_MS = 2000;
const LEASE_STEP_MS = 50;

/** A path that is not in the checkpoint, or only in part, and why: the name of an errno, or a word. */
interface LeftOut {
  /** A byte string. */
  readonly path: string;
  readonly reason: number | 'changed' | 'xattrs' | 'no content';
}

interface CaptureTerms {
  readonly exclude: readonly string[];
  readonly base: StoredTree | undefined;
  /** Whether every content is read; else only those of which the size says nothing. */
  readonly readsAll: boolean;
  /** Files and directories that hold credentials, as they are at the call. */
  readonly withheld: () => readonly InodeId[];
}

export interface Captured {
  readonly tree: CapturedTree;
  readonly entries: number;
  readonly leftOut: readonly LeftOut[];
  readonly tooLong: number;
}

interface Wanted {
  readonly directory: string;
  readonly entry: Entry;
  readonly now: bigint;
}

interface Draft {
  readonly entries: Map<string, Entry>;
  readonly contents: Map<string, Content>;
}

/** Walks a tree and reads what differs from the base. @throws TreeFailure */
export async function capture(helper: TreeHelper, incoming: IncomingContents, terms: CaptureTerms): Promise<Captured> {
  const run = new Capture(incoming, terms);
  const { entries, tooLong } = await helper.walk(terms.exclude, (part) => run.addPart(part));
  run.finishDirectory();
  await run.readAll(helper);
  return { tree: run.finish(), entries, leftOut: run.leftOut, tooLong };
}

class Capture {
  readonly leftOut: LeftOut[] = [];
  readonly #incoming: IncomingContents;
  readonly #terms: CaptureTerms;
  readonly #tree: CapturedTree;
  readonly #drafts = new Map<string, Draft>();
  readonly #wanted: Wanted[] = [];
  #parts: TreeDirectory[] = [];

  constructor(incoming: IncomingContents, terms: CaptureTerms) {
    this.#incoming = incoming;
    this.#terms = terms;
    this.#tree = new CapturedTree(terms.base);
  }

  addPart(part: TreeDirectory): void {
    if (this.#parts[0] && this.#parts[0].path !== part.path) this.finishDirectory();
    this.#parts.push(part);
  }

  finishDirectory(): void {
    const [first] = this.#parts;
    if (!first) return;
    const bytes = this.#parts.length === 1 ? first.entries : Buffer.concat(this.#parts.map(({ entries }) => entries));
    this.#parts = [];
    if (first.errno !== 0) {
      this.leftOut.push({ path: first.path, reason: first.errno });
      return;
    }
    const { base } = this.#terms;
    const known = base?.bytesOf(first.path);
    const hash = base?.hashOf(first.path);
    if (known && hash !== undefined && !hasRacy(known) && walkedPart(known).equals(bytes)) {
      this.#tree.keep(first.path, hash);
      return;
    }
    this.#draft(first.path, first.now, entriesOf(bytes), base?.segmentOf(first.path));
  }

  async readAll(helper: TreeHelper): Promise<void> {
    const first = new Map<string, Wanted>();
    const others: Wanted[] = [];
    const once: Wanted[] = [];
    for (const wanted of this.#wanted) {
      const isLinked = wanted.entry.links > 1;
      const isOther = isLinked && first.has(wanted.entry.inodeKey);
      if (isLinked && !isOther) first.set(wanted.entry.inodeKey, wanted);
      (isOther ? others : once).push(wanted);
    }
    for (let left = once, waited = 0; left.length > 0; waited += LEASE_STEP_MS) {
      if (waited > 0) await new Promise((resolve) => setTimeout(resolve, LEASE_STEP_MS));
      left = await this.#read(helper, left, waited < LEASE_MS);
    }
    // A name whose file was replaced since the walk is a file of its own.
    const apart = others.filter((wanted) => !this.#share(wanted, first.get(wanted.entry.inodeKey)));
    await this.#read(helper, apart, false);
  }

  finish(): CapturedTree {
    const withheld = new Set(this.#terms.withheld().map(({ device, inode }) => inodeKeyOf(device, inode)));
    for (const [path, { entries, contents }] of this.#drafts) {
      const kept = [...entries.values()].filter((entry) => !withheld.has(entry.inodeKey));
      for (const entry of kept) {
        if (entry.lacksXattrs) this.leftOut.push({ path: pathIn(path, entry.name), reason: 'xattrs' });
      }
      const segment: Segment = { entries: kept, contents };
      this.#tree.set(path, segment);
    }
    return this.#tree;
  }

  #draft(path: string, now: bigint, entries: readonly Entry[], known: Segment | undefined): void {
    const draft: Draft = { entries: new Map(entries.map((entry) => [entry.name, entry])), contents: new Map() };
    const before = new Map(known?.entries.map((entry) => [entry.name, entry]));
    this.#drafts.set(path, draft);
    for (const entry of entries) {
      if (entry.kind !== 'f') continue;
      const old = before.get(entry.name);
      const content = known?.contents.get(entry.name);
      if (content?.pieces && !content.isRacy && !content.isTorn && old?.bytes.equals(entry.bytes))
        draft.contents.set(entry.name, content);
      else if (this.#terms.readsAll || old?.size === entry.size) this.#wanted.push({ directory: path, entry, now });
    }
  }

  /** @returns those that a lease keeps closed */
  async #read(helper: TreeHelper, wanted: readonly Wanted[], waitsForLeases: boolean): Promise<Wanted[]> {
    const leased: Wanted[] = [];
    const paths = wanted.map(({ directory, entry }) => pathIn(directory, entry.name));
    await helper.read(paths, (index, content) => {
      const one = wanted[index];
      if (!one) return;
      if (content.errno === constants.errno.EAGAIN && waitsForLeases) leased.push(one);
      else this.#take(one, content);
    });
    return leased;
  }

  #take({ directory, entry, now }: Wanted, content: TreeContent): void {
    const path = pathIn(directory, entry.name);
    const draft = this.#drafts.get(directory);
    if (!draft) return;
    if (content.errno === constants.errno.ENOENT || content.errno === constants.errno.ENOTDIR) {
      draft.entries.delete(entry.name);
      return;
    }
    if (content.errno !== 0) {
      this.leftOut.push({ path, reason: content.errno });
      return;
    }
    if (content.isChanged) this.leftOut.push({ path, reason: 'changed' });
    const read = entryAt(content.entry, 0);
    const isRacy = read.ctime >= now - RACY_NS;
    draft.entries.set(entry.name, read);
    draft.contents.set(entry.name, this.#incoming.take({ ...content, entrySize: read.size, isRacy }));
  }

  /** Gives another name of a file the content that was read by its first one. */
  #share({ directory, entry }: Wanted, first: Wanted | undefined): boolean {
    const read = first && this.#drafts.get(first.directory)?.entries.get(first.entry.name);
    const content = first && this.#drafts.get(first.directory)?.contents.get(first.entry.name);
    const draft = this.#drafts.get(directory);
    if (!read || !content || !draft || !isSameFile(read, entry)) return false;
    draft.contents.set(entry.name, content);
    return true;
  }
}

function isSameFile(a: Entry, b: Entry): boolean {
  return a.inodeKey === b.inodeKey && a.ctime === b.ctime && a.size === b.size;
}
