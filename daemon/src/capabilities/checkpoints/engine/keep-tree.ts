import type { BlobStore } from '../store/blob-store.ts';
import { figuresOf, recordsOf, segmentRecords } from '../tree/segment.ts';
import { listRecords, splitList } from '../tree/tree-list.ts';
import type { CapturedTree, SegmentCache, StoredTree } from '../tree/tree-view.ts';

export interface KeptTree {
  /** Hash of the list of its directories. */
  readonly tree: string;
  readonly files: number;
  readonly bytes: number;
}

/** Stores the directories that the base does not have, and the list of all. */
export function keepTree(
  captured: CapturedTree,
  base: StoredTree | undefined,
  store: BlobStore,
  cache: SegmentCache,
): KeptTree {
  let { files, bytes } = captured.keptFigures();
  const list = new Map(captured.kept);
  for (const [path, segment] of captured.changed) {
    const records = segmentRecords(segment);
    const known = base?.bytesOf(path);
    const knownHash = base?.hashOf(path);
    const earlier = known && knownHash !== undefined ? { hash: knownHash, records: recordsOf(known) } : undefined;
    const hash = store.putRecords(records, earlier);
    const joined = Buffer.concat(records);
    cache.add(hash, joined);
    const figures = figuresOf(joined);
    files += figures.files;
    bytes += figures.bytes;
    list.set(path, hash);
  }
  const sorted = new Map([...list].sort(([a], [b]) => (a < b ? -1 : 1)));
  cache.keepThoseOf(sorted);
  const earlier = base && { hash: base.hash, records: splitList(store.get(base.hash)) };
  return {
    tree: store.putRecords(listRecords(sorted), earlier),
    files,
    bytes: Math.min(bytes, Number.MAX_SAFE_INTEGER),
  };
}
