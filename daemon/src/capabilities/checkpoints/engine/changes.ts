import { type Difference, differences, isEqual } from '../tree/compare.ts';
import type { Entry } from '../tree/entry.ts';
import type { TreeView } from '../tree/tree-view.ts';
import type { ChangeFound, ChangeType, DiffFound, ObjectFacts } from './engine-protocol.ts';

const KINDS: Readonly<Record<string, string>> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
  p: 'fifo',
  s: 'socket',
  b: 'block_device',
  c: 'character_device',
};

export function factsOf({ kind, mode, uid, gid, size, mtime, target }: Entry): ObjectFacts {
  return { kind: KINDS[kind] ?? kind, mode, uid, gid, size, mtime, target };
}

/** The differences of two trees, sorted by path; a file that was moved is one change. */
export function changesOf(before: TreeView, after: TreeView, max: number): DiffFound {
  const found = [...differences(before, after)].filter(isTold);
  const renamed = renamesOf(found);
  const moved = new Set(renamed.values());
  const changes = found
    .filter((difference) => !moved.has(difference))
    .map((difference) => changeOf(difference, renamed.get(difference)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const counts: Record<ChangeType, number> = { added: 0, removed: 0, modified: 0, metadata: 0, renamed: 0 };
  for (const { type } of changes) counts[type] += 1;
  return { changes: changes.slice(0, max), counts };
}

/** @param from of an object that was moved: what was at its path before */
export function changeOf({ path, before, after, isOfContent }: Difference, from?: Difference): ChangeFound {
  const [old, now] = [(from ?? { before }).before, after];
  const isInBoth = old !== undefined && now !== undefined;
  const inPlace = isOfContent ? 'modified' : 'metadata';
  const alone = old === undefined ? 'added' : 'removed';
  return {
    type: from ? 'renamed' : isInBoth ? inPlace : alone,
    path,
    from: from?.path,
    before: old && factsOf(old.entry),
    after: now && factsOf(now.entry),
  };
}

/** The time of a directory is that of the changes in it, which are reported themselves. */
function isTold({ before, after, isOfContent }: Difference): boolean {
  if (isOfContent || before?.entry.kind !== 'd' || after?.entry.kind !== 'd') return true;
  const [a, b] = [before.entry, after.entry];
  return a.mode !== b.mode || a.uid !== b.uid || a.gid !== b.gid || !a.xattrs.equals(b.xattrs);
}

/** By what was added: what was removed and is the same file, or has the same content. */
function renamesOf(found: readonly Difference[]): Map<Difference, Difference> {
  const removed = found.filter(({ before, after }) => after === undefined && before?.entry.kind === 'f');
  const byInode = new Map(removed.map((one) => [inodeOf(one.before?.entry), one]));
  const byContent = new Map(removed.map((one) => [contentKey(one.before), one]));
  const renames = new Map<Difference, Difference>();
  const taken = new Set<Difference>();
  for (const one of found) {
    if (one.before !== undefined || one.after?.entry.kind !== 'f') continue;
    const sameFile = byInode.get(inodeOf(one.after.entry));
    const content = contentKey(one.after);
    const from = isMoved(sameFile, one) ? sameFile : content === undefined ? undefined : byContent.get(content);
    if (!from || taken.has(from)) continue;
    taken.add(from);
    renames.set(one, from);
  }
  return renames;
}

/** The same inode, and not one that was used again for another file. */
function isMoved(from: Difference | undefined, to: Difference): boolean {
  const [a, b] = [from?.before, to.after];
  if (!a || !b || a.entry.size !== b.entry.size) return false;
  if (a.content?.pieces && b.content?.pieces) return isEqual(a.content.pieces, b.content.pieces);
  return a.entry.mtime === b.entry.mtime;
}

function inodeOf(entry: Entry | undefined): string {
  return `${entry?.device}:${entry?.inode}`;
}

/** Undefined for an empty or unknown content, which says nothing. */
function contentKey(object: Difference['before']): string | undefined {
  const pieces = object?.content?.pieces ?? [];
  return pieces.length === 0 ? undefined : `${object?.entry.size}:${pieces.join('')}`;
}
