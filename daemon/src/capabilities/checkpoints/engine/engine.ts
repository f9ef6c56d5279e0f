import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';
import { exportedObjects } from '../archive/exported-object.ts';
import { givingWay, isWithoutRoom, thinnedOut } from '../auto/giving-way.ts';
import { changesAhead, changesOf, factsOf } from '../diff/changes.ts';
import { diffFileOf, diffOf, look } from '../diff/comparing.ts';
import { importArchive } from '../import/import-archive.ts';
import { applyPlan } from '../restore/apply.ts';
import { planRestore } from '../restore/plan.ts';
import { objectAt } from '../tree/compare.ts';
import { directoryOf, nameOf } from '../tree/entry.ts';
import { parseSegment } from '../tree/segment.ts';
import type { StoredTree } from '../tree/tree-view.ts';
import { type Captured, capture } from './capture.ts';
import { CHECKPOINTS_MAX, notListed, outPaths, storeFull, tooMany } from './engine-errors.ts';
import type {
  AutoTaken,
  AutoTask,
  CheckpointOrigin,
  CheckpointRecord,
  CreateTask,
  DiffFile,
  DiffFound,
  DiffTask,
  EngineTerms,
  ExportedObject,
  FileFound,
  ImportTask,
  Restored,
  RestoreTask,
} from './engine-protocol.ts';
import { filePartsOf } from './file-parts.ts';
import { keepTree } from './keep-tree.ts';
import { KeptCheckpoints } from './kept-checkpoints.ts';
import { newRecord, PATHS_NAMED } from './new-record.ts';
import { withheldBy } from './tree-session.ts';

/** Of a pack, the part that is used where it is not written again for want of room. */
const TIGHT = 0.9;

/** A tree that is to be kept, and who asked for it. */
interface NewTree {
  readonly task: CreateTask | AutoTask;
  readonly origin: CheckpointOrigin;
  readonly base: StoredTree | undefined;
  readonly bytesBefore: number;
  readonly began: number;
}

/**
 * Checkpoints of directories: takes, compares and restores them. One call after another. A signal ends a call, of which
 * nothing then stays.
 */
export class Engine implements Disposable {
  readonly #kept: KeptCheckpoints;

  constructor(terms: EngineTerms) {
    this.#kept = new KeptCheckpoints(terms);
  }

  get records(): readonly CheckpointRecord[] {
    return this.#kept.records.all;
  }

  get count(): number {
    return this.#kept.records.count;
  }

  get bytes(): number {
    return this.#kept.store.bytes;
  }

  /** @throws SandboxError `not_found` */
  record(id: string): CheckpointRecord {
    return this.#kept.recordOf(id);
  }

  async create(task: CreateTask, signal?: AbortSignal): Promise<CheckpointRecord> {
    return await this.#withRoom(() => this.#take(task, 'manual', signal));
  }

  /** Keeps a checkpoint only if the directory differs from its last one. Older automatic ones are thinned. */
  async createAuto(task: AutoTask): Promise<AutoTaken> {
    const began = performance.now();
    const last = this.#kept.newestOf(Buffer.from(task.root).toString('latin1'));
    const record = await this.#withRoom(() => this.#take(task, 'auto', undefined));
    if (record !== last) this.#kept.drop(thinnedOut(this.records, record.root, task.tick));
    return { isNew: record !== last, tookMs: performance.now() - began };
  }

  /** Makes an archive a checkpoint of a directory. */
  async importArchive(task: ImportTask, signal?: AbortSignal): Promise<CheckpointRecord> {
    return await this.#withRoom(() => this.#import(task, signal));
  }

  remove(id: string): void {
    this.#kept.recordOf(id);
    this.#kept.records.drop(id);
    this.#kept.collect();
  }

  async diff(task: DiffTask, signal?: AbortSignal): Promise<DiffFound> {
    return await diffOf(this.#kept, task, signal);
  }

  /** All changes, in a file that the caller removes. */
  async diffFile(task: Omit<DiffTask, 'maxChanges'>, signal?: AbortSignal): Promise<DiffFile> {
    return await diffFileOf(this.#kept, task, signal);
  }

  /** A signal ends it until the first change, and not after it. */
  async restore({ id, account, paths, deletesNew, isDryRun }: RestoreTask, signal?: AbortSignal): Promise<Restored> {
    const record = this.#kept.recordOf(id);
    const target = this.#kept.treeOf(record);
    const scope = { paths, deletesNew };
    if (isDryRun) {
      const terms = { account, base: target, readsAll: true, signal };
      const plan = await look(this.#kept, record, terms, ({ tree }) => planRestore(target, tree, scope));
      return { ...changesAhead(plan), before: undefined, notRestored: [], notRestoredCount: 0 };
    }
    const root = Buffer.from(record.root, 'latin1');
    const task = { root, account, label: `before restore of ${id}`, exclude: record.exclude };
    const before = await this.#withRoom(() => this.#take(task, 'restore', signal));
    if (signal?.aborted) {
      this.#kept.drop([before]);
      signal.throwIfAborted();
    }
    const plan = planRestore(target, this.#kept.treeOf(before), scope);
    await using session = await this.#kept.open(root, account);
    const failures = await applyPlan(session.helper, this.#kept.store, plan, target);
    const notRestored = outPaths(failures.slice(0, PATHS_NAMED));
    return { ...changesAhead(plan), before, notRestored, notRestoredCount: failures.length };
  }

  file(id: string, path: string): FileFound {
    const record = this.#kept.recordOf(id);
    const found = objectAt(this.#kept.treeOf(record), directoryOf(path), nameOf(path));
    if (!found) {
      throw new SandboxError('not_found', `the checkpoint ${id} has no ${shownPath(pathOfLatin1(path))}`, {
        hint: 'paths are relative to the directory of the checkpoint; its diff lists what changed',
      });
    }
    return { facts: factsOf(found.entry), parts: filePartsOf(found) };
  }

  piece(hash: string): Buffer {
    return this.#kept.whole(() => this.#kept.store.get(hash));
  }

  /** The path and the hash of each directory. */
  directories(id: string): [path: string, hash: string][] {
    return this.#kept.whole(() => [...this.#kept.treeOf(this.#kept.recordOf(id)).list]);
  }

  objects(hash: string): ExportedObject[] {
    const { cache, store } = this.#kept;
    return this.#kept.whole(() => exportedObjects(parseSegment(cache.get(hash, () => store.get(hash)))));
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]();
  }

  /** Automatic checkpoints give way, the oldest first, where there is no room; no other one does. */
  async #withRoom(take: () => Promise<CheckpointRecord>): Promise<CheckpointRecord> {
    for (;;) {
      try {
        if (this.count >= CHECKPOINTS_MAX) throw tooMany();
        return await take();
      } catch (error) {
        this.#kept.store.rollBack();
        const failure = this.#kept.failure(error);
        const oldest = isWithoutRoom(failure) ? givingWay(this.records) : [];
        if (oldest.length === 0) throw failure;
        this.#kept.drop(oldest, TIGHT);
      }
    }
  }

  /** @returns the last one in place of an automatic one that would not differ */
  async #take(
    task: CreateTask | AutoTask,
    origin: CheckpointOrigin,
    signal: AbortSignal | undefined,
  ): Promise<CheckpointRecord> {
    const began = performance.now();
    const root = Buffer.from(task.root);
    const last = this.#kept.newestOf(root.toString('latin1'));
    const base = last && this.#kept.treeOf(last);
    const bytesBefore = this.bytes;
    await using session = await this.#kept.open(root, task.account);
    using _leaving = session.endWith(signal);
    const captured = await capture(session.helper, session.incoming, {
      exclude: task.exclude,
      base,
      readsAll: true,
      withheld: () => withheldBy(this.#kept.terms),
    });
    if (!captured.tree.has('')) throw notListed(captured);
    if (origin === 'auto' && last && base && changesOf(base, captured.tree).found.length === 0) return last;
    signal?.throwIfAborted();
    session.incoming.store();
    return this.#keep(captured, session.uid, { task, origin, base, bytesBefore, began });
  }

  async #import(task: ImportTask, signal: AbortSignal | undefined): Promise<CheckpointRecord> {
    const began = performance.now();
    const bytesBefore = this.bytes;
    const { store } = this.#kept;
    const captured = await importArchive(task.file, {
      owner: task.owner,
      takesPrivileges: task.takesPrivileges,
      signal,
      put: (bytes) => {
        const digest = store.putContent(bytes);
        this.#requireRoom();
        return digest;
      },
    });
    return this.#keep(captured, task.owner.uid, { task, origin: 'import', base: undefined, bytesBefore, began });
  }

  #keep(captured: Captured, uid: number, { task, origin, base, bytesBefore, began }: NewTree): CheckpointRecord {
    const { store, cache, records } = this.#kept;
    const kept = keepTree(captured.tree, base, store, cache);
    const storedBytes = this.bytes - bytesBefore;
    this.#requireRoom();
    store.commit();
    const record = newRecord(task, origin, { root: Buffer.from(task.root), uid, kept, storedBytes, captured, began });
    try {
      records.add(record);
    } catch (error) {
      this.#kept.giveBack();
      throw error;
    }
    return record;
  }

  #requireRoom(): void {
    if (this.bytes > this.#kept.terms.maxBytes) throw storeFull(this.#kept.terms);
  }
}
