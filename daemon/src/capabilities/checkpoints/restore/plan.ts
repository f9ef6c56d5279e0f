import { type Difference, differences, objectAt, type TreeObject } from '../tree/compare.ts';
import { directoryOf, nameOf, pathIn } from '../tree/entry.ts';
import type { TreeView } from '../tree/tree-view.ts';

export interface RestoreScope {
  /** Byte strings: these paths, and what is below them; empty: the whole tree. */
  readonly paths: readonly string[];
  /** Whether what was added since the checkpoint is removed. */
  readonly deletesNew: boolean;
}

/** What a restore changes: `before` is what is there now, `after` what the checkpoint has. */
export interface Plan {
  /** Deepest first. */
  readonly removals: readonly Difference[];
  /** Those above first. */
  readonly directories: readonly Difference[];
  readonly others: readonly Difference[];
}

/** The differences that a restore of `target` over `now` undoes. */
export function planRestore(target: TreeView, now: TreeView, { paths, deletesNew }: RestoreScope): Plan {
  const wanted = new Map<string, Difference>();
  const isIn = (path: string): boolean => paths.length === 0 || paths.some((one) => isBelow(path, one));
  for (const difference of differences(now, target)) {
    const { path, after } = difference;
    if (isIn(path) && (after !== undefined || deletesNew)) wanted.set(path, difference);
  }
  for (const { path } of [...wanted.values()]) addAbove(path, target, now, wanted);
  for (const difference of splitLinks(target, now)) if (isIn(difference.path)) wanted.set(difference.path, difference);
  addBelowReplaced(now, wanted);
  const all = [...wanted.values()].filter(({ before, after }) => isRestorable(before) && isRestorable(after));
  const isDirectory = (object: TreeObject | undefined): boolean => object?.entry.kind === 'd';
  return {
    removals: all.filter(({ before, after }) => before && needsRemoval(before, after)).sort(deepestFirst),
    directories: all.filter(({ after }) => isDirectory(after)).sort((a, b) => -deepestFirst(a, b)),
    others: all.filter(({ after }) => after && !isDirectory(after)),
  };
}

/** A socket belongs to the program that listens on it. */
function isRestorable(object: TreeObject | undefined): boolean {
  return object?.entry.kind !== 's';
}

/** Whether what is there cannot be replaced by a rename. */
function needsRemoval(before: TreeObject, after: TreeObject | undefined): boolean {
  return after === undefined || (before.entry.kind === 'd') !== (after.entry.kind === 'd');
}

function deepestFirst(a: Difference, b: Difference): number {
  return depthOf(b.path) - depthOf(a.path);
}

function depthOf(path: string): number {
  return path.split('/').length;
}

function isBelow(path: string, directory: string): boolean {
  return directory === '' || path === directory || path.startsWith(`${directory}/`);
}

/** Directories above a path that are not there, or something else. */
function addAbove(path: string, target: TreeView, now: TreeView, wanted: Map<string, Difference>): void {
  for (let at = directoryOf(path); at !== '' && !wanted.has(at); at = directoryOf(at)) {
    const after = objectAt(target, directoryOf(at), nameOf(at));
    const before = objectAt(now, directoryOf(at), nameOf(at));
    if (!after || before?.entry.kind === 'd') return;
    wanted.set(at, { path: at, before, after, isOfContent: true });
  }
}

/** What is below a directory that becomes something else has to go, whether or not it is new. */
function addBelowReplaced(now: TreeView, wanted: Map<string, Difference>): void {
  const replaced = [...wanted.values()].filter(
    ({ before, after }) => before?.entry.kind === 'd' && after !== undefined && after.entry.kind !== 'd',
  );
  if (replaced.length === 0) return;
  for (const directory of now.paths) {
    if (!replaced.some(({ path }) => isBelow(directory, path))) continue;
    for (const entry of now.segmentOf(directory)?.entries ?? []) {
      const path = pathIn(directory, entry.name);
      if (!wanted.has(path) && entry.name !== '')
        wanted.set(path, { path, before: { entry, content: undefined }, after: undefined, isOfContent: true });
    }
  }
}

/**
 * Names of one object in the checkpoint that are not names of one object now, and the other way round, although content
 * and attributes may be equal: each gets its object again.
 */
function* splitLinks(target: TreeView, now: TreeView): Iterable<Difference> {
  for (const { path, object, other } of linkedApart(target, now))
    yield { path, before: other, after: object, isOfContent: true };
  for (const { path, object, other } of linkedApart(now, target))
    if (other) yield { path, before: object, after: other, isOfContent: true };
}

/** Names of one object in a tree that are not names of one object in the other. */
function* linkedApart(tree: TreeView, other: TreeView): Iterable<LinkedName & { other: TreeObject | undefined }> {
  for (const group of linkGroups(tree).values()) {
    const there = group.map(({ path }) => objectAt(other, directoryOf(path), nameOf(path)));
    const inodes = new Set(there.map((object) => object && `${object.entry.device}:${object.entry.inode}`));
    if (inodes.size > 1) for (const [index, one] of group.entries()) yield { ...one, other: there[index] };
  }
}

interface LinkedName {
  readonly path: string;
  readonly object: TreeObject;
}

/** The names of each object that has several in the tree. */
function linkGroups(tree: TreeView): Map<string, LinkedName[]> {
  const groups = new Map<string, LinkedName[]>();
  for (const directory of tree.paths) {
    if (!tree.hasLinked(directory)) continue;
    const segment = tree.segmentOf(directory);
    for (const entry of segment?.entries ?? []) {
      if (entry.links < 2) continue;
      const key = `${entry.device}:${entry.inode}`;
      const one = {
        path: pathIn(directory, entry.name),
        object: { entry, content: segment?.contents.get(entry.name) },
      };
      groups.set(key, [...(groups.get(key) ?? []), one]);
    }
  }
  return new Map([...groups].filter(([, group]) => group.length > 1));
}
