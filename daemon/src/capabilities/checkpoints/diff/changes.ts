import type { ChangeFound, ChangeType, DiffCounts, ObjectFacts, Restored } from '../engine/engine-protocol.ts';
import type { Plan } from '../restore/plan.ts';
import { type Difference, differences, extentsKey, isSameBytes } from '../tree/compare.ts';
import type { Entry } from '../tree/entry.ts';
import type { TreeView } from '../tree/tree-view.ts';
import { areSameXattrs } from '../tree/xattr-list.ts';

/** Changes that the answer of a restore names. */
const CHANGES_NAMED = 100;

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
  // Some file systems have sparse files that are larger than a number is exact.
  return { kind: KINDS[kind] ?? kind, mode, uid, gid, size: Math.min(size, Number.MAX_SAFE_INTEGER), mtime, target };
}

/** A difference as it is reported. */
export interface FoundChange {
  readonly change: ChangeFound;
  readonly difference: Difference;
}

/** The differences of two trees, sorted by path; a file that was moved is one change. */
export function changesOf(
  before: TreeView,
  after: TreeView,
): { readonly found: readonly FoundChange[]; readonly counts: DiffCounts } {
  const all = [...differences(before, after)].filter(isTold);
  const renamed = renamesOf(all);
  const moved = new Set(renamed.values());
  const found = all
    .filter((difference) => !moved.has(difference))
    .map((difference) => ({ difference, change: changeOf(difference, renamed.get(difference)) }))
    .sort((a, b) => (a.change.path < b.change.path ? -1 : 1));
  const counts: Record<ChangeType, number> = { added: 0, removed: 0, modified: 0, metadata: 0, renamed: 0 };
  for (const { change } of found) counts[change.type] += 1;
  return { found, counts };
}

/** @param from of an object that was moved: what was at its path before */
function changeOf({ path, before, after, isOfContent }: Difference, from?: Difference): ChangeFound {
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

/** What a restore changes; the first ones with their objects. */
export function changesAhead(plan: Plan): Pick<Restored, 'changes' | 'changeCount'> {
  const all = new Set([...plan.removals, ...plan.directories, ...plan.others]);
  const changes = Array.from(all)
    .slice(0, CHANGES_NAMED)
    .map((one) => changeOf(one));
  return { changes, changeCount: all.size };
}

/** The time of a directory is that of the changes in it, which are reported themselves. */
function isTold({ before, after, isOfContent }: Difference): boolean {
  if (isOfContent || before?.entry.kind !== 'd' || after?.entry.kind !== 'd') return true;
  const [a, b] = [before.entry, after.entry];
  return a.mode !== b.mode || a.uid !== b.uid || a.gid !== b.gid || !areSameXattrs(a.xattrs, b.xattrs);
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
  if (a.content?.pieces && b.content?.pieces) return isSameBytes(a.content, b.content);
  return a.entry.mtime === b.entry.mtime;
}

function inodeOf(entry: Entry | undefined): string {
  return `${entry?.device}:${entry?.inode}`;
}

/** Undefined for an empty or unknown content, which says nothing. */
function contentKey(object: Difference['before']): string | undefined {
  const { entry, content } = object ?? {};
  const pieces = content?.pieces ?? [];
  return pieces.length === 0 || !content ? undefined : `${entry?.size}:${extentsKey(content)}:${pieces.join('')}`;
}
