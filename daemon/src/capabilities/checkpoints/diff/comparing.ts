import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { InodeId } from '../../../core/process/tree/tree-frames.ts';
import { type Captured, capture } from '../engine/capture.ts';
import type {
  ChangeFound,
  CheckpointRecord,
  DiffFile,
  DiffFound,
  DiffTask,
  EngineAccount,
} from '../engine/engine-protocol.ts';
import type { KeptCheckpoints } from '../engine/kept-checkpoints.ts';
import { withheldBy } from '../engine/tree-session.ts';
import type { StoredTree } from '../tree/tree-view.ts';
import { changesWithTexts, type NowReader } from './change-texts.ts';
import { changesOf, type FoundChange } from './changes.ts';
import { newChangesPath, writeChanges } from './changes-file.ts';

/** Bytes of a file of changes. */
const CHANGES_BYTES = 256 * 1024 ** 2;

type UseChanges<T> = (
  changes: (found: readonly FoundChange[]) => AsyncIterable<ChangeFound>,
  all: ReturnType<typeof changesOf>,
) => Promise<T>;

interface LookTerms {
  readonly account: EngineAccount | undefined;
  readonly base: StoredTree;
  readonly readsAll: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The first changes of two trees. */
export async function diffOf(
  kept: KeptCheckpoints,
  { maxChanges, ...task }: DiffTask,
  signal: AbortSignal | undefined,
): Promise<DiffFound> {
  return await compare(kept, task, signal, async (changes, { counts, found }) => {
    const some: ChangeFound[] = [];
    for await (const change of changes(found.slice(0, maxChanges))) some.push(change);
    return { changes: some, counts };
  });
}

/** All changes, in a file that the caller removes. */
export async function diffFileOf(
  kept: KeptCheckpoints,
  task: Omit<DiffTask, 'maxChanges'>,
  signal: AbortSignal | undefined,
): Promise<DiffFile> {
  return await compare(kept, task, signal, async (changes, { counts, found }) => {
    const path = newChangesPath(kept.terms.directory);
    const count = await writeChanges(path, changes(found), CHANGES_BYTES);
    return { path, counts, isCut: count < found.length };
  });
}

/** Hands over the tree as it is now, of which nothing is kept. */
export async function look<T>(
  kept: KeptCheckpoints,
  { root, exclude }: CheckpointRecord,
  { account, base, readsAll, signal }: LookTerms,
  use: (captured: Captured, now: NowReader) => T | Promise<T>,
): Promise<T> {
  const withheld = (): InodeId[] => withheldBy(kept.terms);
  try {
    await using session = await kept.open(Buffer.from(root, 'latin1'), account);
    using _leaving = session.endWith(signal);
    const captured = await capture(session.helper, session.incoming, { exclude, base, readsAll, withheld });
    return await use(captured, { session, withheld });
  } catch (error) {
    throw kept.failure(error);
  }
}

/** Hands over the changes of two trees, and what adds the texts to them. */
async function compare<T>(
  kept: KeptCheckpoints,
  { id, to, account, texts }: Omit<DiffTask, 'maxChanges'>,
  signal: AbortSignal | undefined,
  use: UseChanges<T>,
): Promise<T> {
  const record = kept.recordOf(id);
  const before = kept.treeOf(record);
  const withTexts = (now?: NowReader) => (found: readonly FoundChange[]) =>
    changesWithTexts(found, kept.store, { now, texts, signal });
  if (to === undefined) {
    const terms = { account, base: before, readsAll: false, signal };
    return await look(kept, record, terms, ({ tree }, now) => use(withTexts(now), changesOf(before, tree)));
  }
  const other = kept.recordOf(to);
  if (other.root !== record.root) {
    throw new SandboxError('invalid', 'is a checkpoint of another directory', {
      field: 'to',
      hint: 'compare checkpoints of one directory',
    });
  }
  try {
    return await use(withTexts(), changesOf(before, kept.treeOf(other)));
  } catch (error) {
    throw kept.failure(error);
  }
}
