import { type BlobStore, DamagedBlob } from '../store/blob-store.ts';
import { piecesOf } from '../tree/segment.ts';
import { parseList } from '../tree/tree-list.ts';
import type { SegmentCache } from '../tree/tree-view.ts';
import type { CheckpointRecord } from './engine-protocol.ts';

/** Packs are rarely written again. */
const HALF = 0.5;

/**
 * Drops the blobs that no checkpoint has. What only a damaged blob leads to is lost with it.
 * @param kept of a pack that stays as it is, the part that is used
 */
export function collect(
  records: readonly CheckpointRecord[],
  store: BlobStore,
  cache: SegmentCache,
  kept: number = HALF,
): void {
  const used = new Set<string>();
  for (const record of records) {
    const tree = Buffer.from(record.tree, 'hex').toString('latin1');
    if (used.has(tree)) continue;
    used.add(tree);
    const segments = whole(() => [...parseList(store.get(tree)).values()]) ?? [];
    for (const segment of segments) {
      if (used.has(segment)) continue;
      used.add(segment);
      const pieces = whole(() => piecesOf(cache.known(segment) ?? store.get(segment))) ?? [];
      for (const piece of pieces) used.add(piece);
    }
  }
  store.keepOnly(store.withBases(used), kept);
}

/** Undefined if a blob is damaged. */
function whole<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedBlob || error instanceof RangeError) return undefined;
    throw error;
  }
}
