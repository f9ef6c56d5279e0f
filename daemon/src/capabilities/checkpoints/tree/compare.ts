import { type Entry, pathIn } from './entry.ts';
import type { Content } from './segment.ts';
import type { TreeView } from './tree-view.ts';
import { areSameXattrs } from './xattr-list.ts';

/** An object of a tree with its content. */
export interface TreeObject {
  readonly entry: Entry;
  /** Of a file. */
  readonly content: Content | undefined;
}

/** A path that differs between two trees. */
export interface Difference {
  /** A byte string; '' is the root. */
  readonly path: string;
  readonly before: TreeObject | undefined;
  readonly after: TreeObject | undefined;
  /** Kind, target or content differ, and not only owner, mode, times or attributes. */
  readonly isOfContent: boolean;
}

/** The paths that differ, directory by directory. */
export function* differences(before: TreeView, after: TreeView): Iterable<Difference> {
  for (const path of before.paths) {
    const hash = before.hashOf(path);
    if (hash !== undefined && hash === after.hashOf(path)) continue;
    yield* inDirectory(path, before, after);
  }
  for (const path of after.paths) if (!before.has(path)) yield* inDirectory(path, before, after);
}

function* inDirectory(path: string, before: TreeView, after: TreeView): Iterable<Difference> {
  const [old, fresh] = [objectsOf(before, path), objectsOf(after, path)];
  for (const [name, object] of old) {
    const now = fresh.get(name);
    const isOfContent = now === undefined || !isSameContent(object, now);
    if (isOfContent || !isSameMeta(object.entry, now.entry))
      yield { path: pathIn(path, name), before: object, after: now, isOfContent };
  }
  for (const [name, object] of fresh)
    if (!old.has(name)) yield { path: pathIn(path, name), before: undefined, after: object, isOfContent: true };
}

function objectsOf(tree: TreeView, path: string): Map<string, TreeObject> {
  const segment = tree.segmentOf(path);
  if (!segment) return new Map();
  return new Map(segment.entries.map((entry) => [entry.name, { entry, content: segment.contents.get(entry.name) }]));
}

/** What a path is in a tree. */
export function objectAt(tree: TreeView, directory: string, name: string): TreeObject | undefined {
  const segment = tree.segmentOf(directory);
  const entry = segment?.entries.find((one) => one.name === name);
  return entry && { entry, content: segment?.contents.get(name) };
}

/** Whether kind, target and content are known to be equal. */
function isSameContent(a: TreeObject, b: TreeObject): boolean {
  if (a.entry.kind !== b.entry.kind || a.entry.target !== b.entry.target || a.entry.rdev !== b.entry.rdev) return false;
  if (a.entry.kind !== 'f' || a.entry.bytes.equals(b.entry.bytes)) return true;
  return a.entry.size === b.entry.size && isSameBytes(a.content, b.content);
}

/** Whether contents of files of one size are known to be the same bytes, with holes at the same places. */
export function isSameBytes(a: Content | undefined, b: Content | undefined): boolean {
  if (!a?.pieces || !b?.pieces || !isEqual(a.pieces, b.pieces)) return false;
  return extentsKey(a) === extentsKey(b);
}

/** Equal for equal holes. */
export function extentsKey({ extents }: Content): string {
  return extents?.map(({ offset, length }) => `${offset}+${length}`).join() ?? 'whole';
}

function isSameMeta(a: Entry, b: Entry): boolean {
  return (
    a.mode === b.mode && a.uid === b.uid && a.gid === b.gid && a.mtime === b.mtime && areSameXattrs(a.xattrs, b.xattrs)
  );
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((piece, index) => piece === b[index]);
}
