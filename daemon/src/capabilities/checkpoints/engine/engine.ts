import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { errnoName } from '../../../core/errno-name.ts';
import { pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';
import { isFull } from '../../../core/records/replace-file.ts';
import { BlobStore } from '../store/blob-store.ts';
import { RecordJournal } from '../store/record-journal.ts';
import { objectAt } from '../tree/compare.ts';
import { directoryOf, nameOf } from '../tree/entry.ts';
import { SegmentCache, StoredTree } from '../tree/tree-view.ts';
import { applyPlan } from './apply.ts';
import { type Captured, capture } from './capture.ts';
import { changeOf, changesOf, factsOf } from './changes.ts';
import { collect } from './collect.ts';
import { engineFailure, outPaths } from './engine-errors.ts';
import {
  type CheckpointOrigin,
  type CheckpointRecord,
  type CreateTask,
  type DiffFound,
  type DiffTask,
  type EngineAccount,
  type EngineTerms,
  type FileFound,
  noCheckpoint,
  type Restored,
  type RestoreTask,
} from './engine-protocol.ts';
import { filePartsOf } from './file-parts.ts';
import { keepTree } from './keep-tree.ts';
import { planRestore } from './plan.ts';
import { TreeSession, temporaryNameOf, withheldBy } from './tree-session.ts';

/** Checkpoints of a store. */
const CHECKPOINTS_MAX = 10_000;
/** Paths that a record and an answer name. */
const PATHS_NAMED = 100;

/** Checkpoints of directories: takes, compares and restores them. One call after another. */
export class Engine implements Disposable {
  readonly #terms: EngineTerms;
  readonly #store: BlobStore;
  readonly #records: RecordJournal;
  readonly #cache = new SegmentCache();
  readonly #temporaryName: string;

  constructor(terms: EngineTerms) {
    this.#terms = terms;
    mkdirSync(terms.directory, { recursive: true, mode: 0o700 });
    this.#temporaryName = temporaryNameOf(terms.directory);
    this.#store = new BlobStore(terms.directory);
    this.#records = new RecordJournal(terms.directory);
    rmSync(join(terms.directory, 'incoming'), { force: true });
  }

  get records(): readonly CheckpointRecord[] {
    return this.#records.all;
  }

  get bytes(): number {
    return this.#store.bytes;
  }

  async create(task: CreateTask): Promise<CheckpointRecord> {
    return await this.#take(task, 'manual');
  }

  remove(id: string): void {
    this.#recordOf(id);
    this.#records.drop(id);
    collect(this.#records.all, this.#store, this.#cache);
  }

  async diff({ id, to, account, maxChanges }: DiffTask): Promise<DiffFound> {
    const record = this.#recordOf(id);
    const before = this.#treeOf(record);
    if (to !== undefined) {
      const other = this.#recordOf(to);
      if (other.root !== record.root) {
        throw new SandboxError('invalid', 'is a checkpoint of another directory', {
          field: 'to',
          hint: 'compare checkpoints of one directory',
        });
      }
      return changesOf(before, this.#treeOf(other), maxChanges);
    }
    const { tree } = await this.#look(record, account, before, false);
    return changesOf(before, tree, maxChanges);
  }

  async restore({ id, account, paths, deletesNew, isDryRun }: RestoreTask): Promise<Restored> {
    const record = this.#recordOf(id);
    const target = this.#treeOf(record);
    const scope = { paths, deletesNew };
    if (isDryRun) {
      const { tree } = await this.#look(record, account, target, true);
      return {
        ...changesAhead(planRestore(target, tree, scope)),
        before: undefined,
        notRestored: [],
        notRestoredCount: 0,
      };
    }
    const root = Buffer.from(record.root, 'latin1');
    const before = await this.#take(
      { root, account, label: `before restore of ${id}`, exclude: record.exclude },
      'restore',
    );
    const plan = planRestore(target, this.#treeOf(before), scope);
    await using session = await this.#open(root, account);
    const failures = await applyPlan(session.helper, this.#store, plan, target);
    const notRestored = outPaths(failures.slice(0, PATHS_NAMED));
    return { ...changesAhead(plan), before, notRestored, notRestoredCount: failures.length };
  }

  file(id: string, path: string): FileFound {
    const record = this.#recordOf(id);
    const found = objectAt(this.#treeOf(record), directoryOf(path), nameOf(path));
    if (!found) {
      throw new SandboxError('not_found', `the checkpoint ${id} has no ${shownPath(pathOfLatin1(path))}`, {
        hint: 'paths are relative to the directory of the checkpoint; its diff lists what changed',
      });
    }
    return { facts: factsOf(found.entry), parts: filePartsOf(found) };
  }

  piece(hash: string): Buffer {
    try {
      return this.#store.get(hash);
    } catch (error) {
      throw engineFailure(error, this.#isFull());
    }
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
    this.#records[Symbol.dispose]();
  }

  async #take(task: CreateTask, origin: CheckpointOrigin): Promise<CheckpointRecord> {
    if (this.#records.all.length >= CHECKPOINTS_MAX) {
      throw new SandboxError('capacity', `there are ${CHECKPOINTS_MAX} checkpoints`, {
        hint: 'delete some: DELETE /v2/checkpoints/{id}',
      });
    }
    const began = performance.now();
    const root = Buffer.from(task.root);
    const rootText = root.toString('latin1');
    const base = this.#baseFor(rootText);
    const bytesBefore = this.#store.bytes;
    try {
      await using session = await this.#open(root, task.account);
      const captured = await capture(session.helper, session.incoming, {
        exclude: task.exclude,
        base,
        readsAll: true,
        withheld: () => withheldBy(this.#terms),
      });
      if (!captured.tree.has('')) throw notListed(captured);
      session.incoming.store();
      const { tree, files, bytes } = keepTree(captured.tree, base, this.#store, this.#cache);
      const storedBytes = this.#store.bytes - bytesBefore;
      if (this.#store.bytes > this.#terms.maxBytes) throw this.#isFull();
      this.#store.commit();
      const record: CheckpointRecord = {
        id: `cp-${randomBytes(8).toString('hex')}`,
        root: rootText,
        label: task.label,
        origin,
        createdAt: new Date().toISOString(),
        uid: session.uid,
        exclude: task.exclude,
        tree: Buffer.from(tree, 'latin1').toString('hex'),
        files,
        bytes,
        storedBytes,
        tookMs: Math.round(performance.now() - began),
        ...leftOutOf(captured),
      };
      this.#records.add(record);
      return record;
    } catch (error) {
      this.#store.rollBack();
      this.#giveBack();
      if (isFull(error)) throw diskFull(this.#terms.directory, error);
      throw engineFailure(error, this.#isFull());
    }
  }

  /** The tree as it is now, of which nothing is kept. */
  async #look(
    record: CheckpointRecord,
    account: EngineAccount | undefined,
    base: StoredTree,
    readsAll: boolean,
  ): Promise<Captured> {
    try {
      await using session = await this.#open(Buffer.from(record.root, 'latin1'), account);
      const { exclude } = record;
      return await capture(session.helper, session.incoming, {
        exclude,
        base,
        readsAll,
        withheld: () => withheldBy(this.#terms),
      });
    } catch (error) {
      if (isFull(error)) throw diskFull(this.#terms.directory, error);
      throw engineFailure(error, this.#isFull());
    }
  }

  #open(root: Buffer, account: EngineAccount | undefined): Promise<TreeSession> {
    return TreeSession.open(this.#terms, this.#store, { root, account, temporaryName: this.#temporaryName });
  }

  /** The newest checkpoint of the same directory. */
  #baseFor(root: string): StoredTree | undefined {
    const record = this.#records.all.findLast((one) => one.root === root);
    return record && this.#treeOf(record);
  }

  #treeOf({ tree }: CheckpointRecord): StoredTree {
    return new StoredTree(Buffer.from(tree, 'hex').toString('latin1'), this.#store, this.#cache);
  }

  #recordOf(id: string): CheckpointRecord {
    const record = this.#records.get(id);
    if (record) return record;
    throw noCheckpoint(id);
  }

  /** Drops what a call that failed has stored. On a full disk it stays until a checkpoint is deleted. */
  #giveBack(): void {
    try {
      collect(this.#records.all, this.#store, this.#cache);
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  #isFull(): SandboxError {
    return new SandboxError('capacity', `the checkpoints would take more than ${this.#terms.maxBytes} bytes`, {
      hint: 'delete checkpoints, exclude what need not be kept, or raise SVC_CHECKPOINTS_MAX_BYTES',
    });
  }
}

function changesAhead(plan: ReturnType<typeof planRestore>): Pick<Restored, 'changes' | 'changeCount'> {
  const all = new Set([...plan.removals, ...plan.directories, ...plan.others]);
  const changes = Array.from(all)
    .slice(0, PATHS_NAMED)
    .map((one) => changeOf(one));
  return { changes, changeCount: all.size };
}

function leftOutOf({ leftOut }: Captured): Pick<CheckpointRecord, 'leftOut' | 'leftOutCount'> {
  return { leftOut: outPaths(leftOut.slice(0, PATHS_NAMED)), leftOutCount: leftOut.length };
}

/** Of a file system of the kernel, or a directory that was removed or closed since it was opened. */
function notListed({ leftOut }: Captured): SandboxError {
  const [root] = outPaths(leftOut.filter(({ path }) => path === ''));
  return new SandboxError('invalid', `cannot be listed: ${root?.reason ?? 'ENOENT'}`, {
    field: 'path',
    hint: 'name a directory with files of its own, not one of /proc or /sys',
  });
}

function diskFull(directory: string, cause: unknown): SandboxError {
  return new SandboxError(
    'disk_full',
    `the file system of the checkpoints is full (${errnoName(cause)}): ${directory}`,
    {
      hint: 'delete files or checkpoints, then repeat the call',
      cause,
    },
  );
}
