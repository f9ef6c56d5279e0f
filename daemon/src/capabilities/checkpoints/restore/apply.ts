import { constants } from 'node:os';
import { PIECE_BYTES, type TreeAttributes, type TreeExpected } from '../../../core/process/tree/tree-frames.ts';
import type { PutPiece, TreeHelper } from '../../../core/process/tree/tree-helper.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Difference, TreeObject } from '../tree/compare.ts';
import { directoryOf, type Entry, nameOf } from '../tree/entry.ts';
import type { Content } from '../tree/segment.ts';
import type { TreeView } from '../tree/tree-view.ts';
import type { Plan } from './plan.ts';

/** A path that could not be restored, and why: an errno, or a word. */
export interface NotRestored {
  readonly path: string;
  readonly reason: number | 'no content';
}

const NO_CONTENT = -1;
const WHOLE_PIECE = { offset: 0, length: Number.MAX_SAFE_INTEGER };

/** Makes a tree what the plan says. Each file is replaced at once; directories get their times last. */
export async function applyPlan(
  helper: TreeHelper,
  store: BlobStore,
  plan: Plan,
  target: TreeView,
): Promise<NotRestored[]> {
  const run = new Restore(helper, store);
  for (const difference of plan.removals) await run.remove(difference);
  for (const difference of plan.directories) await run.makeDirectory(difference);
  for (const difference of plan.others) await run.put(difference);
  await run.finishDirectories(target);
  return run.failures;
}

class Restore {
  readonly failures: NotRestored[] = [];
  readonly #helper: TreeHelper;
  readonly #store: BlobStore;
  /** Directories whose attributes are to be set. */
  readonly #directories = new Set<string>();
  /** The first restored name of each object with several. */
  readonly #linked = new Map<string, string>();
  readonly #removed = new Set<string>();
  /** Directories that could not be made, such as those that belong to the service: nothing is put below them. */
  readonly #refused = new Map<string, number>();

  constructor(helper: TreeHelper, store: BlobStore) {
    this.#helper = helper;
    this.#store = store;
  }

  async remove({ path, before }: Difference): Promise<void> {
    if (!before) return;
    const errno = await this.#helper.remove(path, before.entry.kind === 'd', expectedOf(before));
    this.#note(path, errno);
    if (errno === 0) this.#removed.add(path);
  }

  async makeDirectory({ path, before, after }: Difference): Promise<void> {
    if (!after) return;
    this.#directories.add(path);
    if (path === '' || (before?.entry.kind === 'd' && !this.#removed.has(path))) return;
    const terms = { kind: 'd', target: '', device: 0n } as const;
    const errno =
      this.#refusalAbove(path) ?? (await this.#helper.make(path, terms, 'nothing', attributesOf(after.entry)));
    this.#note(path, errno);
    if (errno !== 0) this.#refused.set(path, errno);
  }

  async put({ path, before, after, isOfContent }: Difference): Promise<void> {
    if (!after) return;
    const expected = this.#removed.has(path) ? 'nothing' : expectedOf(before);
    const { entry } = after;
    const key = `${entry.device}:${entry.inode}`;
    const first = entry.links > 1 ? this.#linked.get(key) : undefined;
    const errno =
      this.#refusalAbove(path) ??
      (first === undefined
        ? await this.#putAlone(path, after, expected, isOfContent)
        : await this.#helper.make(path, { kind: 'h', target: first, device: 0n }, expected, attributesOf(entry)));
    this.#note(path, errno, isOfContent || first !== undefined);
    if (errno === 0 && entry.links > 1) this.#linked.set(key, path);
  }

  /** Deepest first: a change in a directory sets its time. */
  async finishDirectories(target: TreeView): Promise<void> {
    const paths = [...this.#directories].sort((a, b) => depthOf(b) - depthOf(a));
    for (const path of paths) {
      const entry = directoryEntry(target, path);
      if (!entry || this.#refused.has(path) || this.#refusalAbove(path) !== undefined) continue;
      const errno = await this.#helper.set(path, undefined, attributesOf(entry));
      if (errno !== 0 && errno !== constants.errno.ENOENT) this.failures.push({ path, reason: errno });
    }
  }

  #refusalAbove(path: string): number | undefined {
    if (this.#refused.size === 0) return undefined;
    for (let at = directoryOf(path); at !== ''; at = directoryOf(at)) {
      const errno = this.#refused.get(at);
      if (errno !== undefined) return errno;
    }
    return undefined;
  }

  async #putAlone(
    path: string,
    { entry, content }: TreeObject,
    expected: TreeExpected,
    isOfContent: boolean,
  ): Promise<number> {
    const attributes = attributesOf(entry);
    if (!isOfContent) return await this.#helper.set(path, expected, attributes);
    if (entry.kind === 'f') {
      if (!content?.pieces) return NO_CONTENT;
      return await this.#helper.put(path, expected, attributes, this.#pieces(entry, content));
    }
    if (entry.kind === 'd' || entry.kind === 's') return 0;
    const terms = { kind: entry.kind, target: entry.target, device: entry.rdev };
    return await this.#helper.make(path, terms, expected, attributes);
  }

  /** The bytes of a file, and its holes. */
  *#pieces({ size }: Entry, { pieces = [], extents = [WHOLE_PIECE] }: Content): Iterable<PutPiece> {
    const stored = this.#bytesOf(pieces);
    let at = 0;
    for (const { offset, length } of extents) {
      if (offset > at) yield offset - at;
      at = offset;
      for (let left = Math.min(length, size - offset); left > 0; ) {
        const bytes = stored.next(left);
        if (bytes.length === 0) break;
        yield bytes;
        left -= bytes.length;
        at += bytes.length;
      }
    }
    if (at < size) yield size - at;
  }

  #bytesOf(pieces: readonly string[]): { readonly next: (atMost: number) => Buffer } {
    let index = 0;
    let piece: Buffer = Buffer.alloc(0);
    return {
      next: (atMost) => {
        const hash = pieces[index];
        if (piece.length === 0 && hash !== undefined) {
          piece = this.#store.get(hash);
          index += 1;
        }
        const bytes = piece.subarray(0, Math.min(atMost, PIECE_BYTES));
        piece = piece.subarray(bytes.length);
        return bytes;
      },
    };
  }

  #note(path: string, errno: number, changesDirectory = true): void {
    if (errno !== 0) this.failures.push({ path, reason: errno === NO_CONTENT ? 'no content' : errno });
    if (changesDirectory && path !== '') this.#directories.add(directoryOf(path));
  }
}

/** What has to be there still; the change of another name of the same object is not one of this name. */
function expectedOf(object: TreeObject | undefined): TreeExpected {
  if (!object) return 'nothing';
  const { device, inode, ctime, links } = object.entry;
  return links > 1 ? undefined : { device, inode, ctime };
}

function attributesOf({ mode, uid, gid, mtime, xattrs }: Entry): TreeAttributes {
  return { mode, uid, gid, mtime, xattrs };
}

function directoryEntry(tree: TreeView, path: string): Entry | undefined {
  const name = nameOf(path);
  return tree.segmentOf(directoryOf(path))?.entries.find((entry) => entry.name === name && entry.kind === 'd');
}

function depthOf(path: string): number {
  return path === '' ? 0 : path.split('/').length;
}
