import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { errnoName } from '../../../core/errno-name.ts';
import { pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';
import type { InodeId } from '../../../core/process/tree/tree-frames.ts';
import { TreeHelper } from '../../../core/process/tree/tree-helper.ts';
import { isFull, replaceFile } from '../../../core/records/replace-file.ts';
import { BlobStore } from '../store/blob-store.ts';
import { RecordJournal } from '../store/record-journal.ts';
import { objectAt } from '../tree/compare.ts';
import { directoryOf } from '../tree/entry.ts';
import { figuresOf, piecesOf, recordsOf, segmentRecords } from '../tree/segment.ts';
import { listRecords, parseList, splitList } from '../tree/tree-list.ts';
import { type CapturedTree, SegmentCache, StoredTree } from '../tree/tree-view.ts';
import { applyPlan } from './apply.ts';
import { type Captured, capture } from './capture.ts';
import { changeOf, changesOf, factsOf } from './changes.ts';
import { IncomingContents } from './contents.ts';
import { engineFailure, outPaths } from './engine-errors.ts';
import type {
  CheckpointOrigin,
  CheckpointRecord,
  CreateTask,
  DiffFound,
  DiffTask,
  EngineAccount,
  EngineTerms,
  FileFound,
  Restored,
  RestoreTask,
} from './engine-protocol.ts';
import { filePartsOf } from './file-parts.ts';
import { planRestore } from './plan.ts';

/** Entries of one checkpoint. */
const ENTRIES_MAX = 1_000_000;
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
    this.#collect();
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
      return { ...changesAhead(planRestore(target, tree, scope)), before: undefined, notRestored: [], notRestoredCount: 0 };
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
    const found = objectAt(this.#treeOf(record), directoryOf(path), path.slice(path.lastIndexOf('/') + 1));
    if (!found) {
      throw new SandboxError('not_found', `the checkpoint ${id} has no ${shownPath(pathOfLatin1(path))}`, {
        hint: 'paths are relative to the directory of the checkpoint; its diff lists what changed',
      });
    }
    return { facts: factsOf(found.entry), parts: filePartsOf(found) };
  }

  piece(hash: string): Buffer {
    return this.#store.get(hash);
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
        withheld: () => this.#withheld(),
      });
      session.incoming.store();
      const { tree, files, bytes } = this.#keep(captured.tree, base);
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
      this.#collect();
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
        withheld: () => this.#withheld(),
      });
    } catch (error) {
      if (isFull(error)) throw diskFull(this.#terms.directory, error);
      throw engineFailure(error, this.#isFull());
    }
  }

  /** Stores the directories that the base does not have, and the list of all. */
  #keep(captured: CapturedTree, base: StoredTree | undefined): { tree: string; files: number; bytes: number } {
    const { files, bytes } = captured.keptFigures();
    const sum = { files, bytes };
    const list = new Map(captured.kept);
    for (const [path, segment] of captured.changed) {
      const records = segmentRecords(segment);
      const known = base?.bytesOf(path);
      const knownHash = base?.hashOf(path);
      const earlier = known && knownHash !== undefined ? { hash: knownHash, records: recordsOf(known) } : undefined;
      const hash = this.#store.putRecords(records, earlier);
      const whole = Buffer.concat(records);
      this.#cache.add(hash, whole);
      const figures = figuresOf(whole);
      sum.files += figures.files;
      sum.bytes += figures.bytes;
      list.set(path, hash);
    }
    const sorted = new Map([...list].sort(([a], [b]) => (a < b ? -1 : 1)));
    const earlier = base && { hash: base.hash, records: splitList(this.#store.get(base.hash)) };
    return { tree: this.#store.putRecords(listRecords(sorted), earlier), ...sum };
  }

  async #open(root: Buffer, account: EngineAccount | undefined): Promise<Session> {
    const incoming = new IncomingContents(this.#terms.directory, this.#store);
    const helper = new TreeHelper(this.#terms.program, incoming.descriptor);
    try {
      const opened = await helper.open({
        account,
        root,
        temporaryName: this.#temporaryName,
        withheld: this.#withheld(),
        maxEntries: ENTRIES_MAX,
        maxStored: Math.max(0, this.#terms.maxBytes - this.#store.bytes),
      });
      if (!opened.path.equals(root)) {
        throw new SandboxError('conflict', `the directory was replaced by a link: ${shownPath(root)}`, {
          hint: 'repeat the call',
        });
      }
      return new Session(helper, incoming, opened.uid);
    } catch (error) {
      await helper[Symbol.asyncDispose]();
      incoming[Symbol.dispose]();
      throw error;
    }
  }

  /** Files with credentials, as they are now, and the directory of the daemon. */
  #withheld(): InodeId[] {
    return [this.#terms.runtimeDirectory, ...this.#terms.credentials].flatMap((path) => {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      return stats ? [{ device: stats.dev, inode: stats.ino }] : [];
    });
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
    throw new SandboxError('not_found', `checkpoint not found: ${id}`, { hint: 'GET /v2/checkpoints lists them' });
  }

  /** Drops the blobs that no checkpoint has. */
  #collect(): void {
    const used = new Set<string>();
    for (const record of this.#records.all) {
      const tree = Buffer.from(record.tree, 'hex').toString('latin1');
      if (used.has(tree) || !this.#store.has(tree)) continue;
      used.add(tree);
      for (const segment of parseList(this.#store.get(tree)).values()) {
        if (used.has(segment) || !this.#store.has(segment)) continue;
        used.add(segment);
        for (const piece of piecesOf(this.#cache.get(segment, () => this.#store.get(segment)))) used.add(piece);
      }
    }
    this.#store.keepOnly(this.#store.withBases(used));
  }

  #isFull(): SandboxError {
    return new SandboxError('capacity', `the checkpoints would take more than ${this.#terms.maxBytes} bytes`, {
      hint: 'delete checkpoints, exclude what need not be kept, or raise SVC_CHECKPOINTS_MAX_BYTES',
    });
  }
}

class Session implements AsyncDisposable {
  readonly helper: TreeHelper;
  readonly incoming: IncomingContents;
  readonly uid: number;

  constructor(helper: TreeHelper, incoming: IncomingContents, uid: number) {
    this.helper = helper;
    this.incoming = incoming;
    this.uid = uid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.helper[Symbol.asyncDispose]();
    this.incoming[Symbol.dispose]();
  }
}

function changesAhead(plan: ReturnType<typeof planRestore>): Pick<Restored, 'changes' | 'changeCount'> {
  const all = new Set([...plan.removals, ...plan.directories, ...plan.others]);
  const changes = Array.from(all).slice(0, PATHS_NAMED).map((one) => changeOf(one));
  return { changes, changeCount: all.size };
}

function leftOutOf({ leftOut }: Captured): Pick<CheckpointRecord, 'leftOut' | 'leftOutCount'> {
  return { leftOut: outPaths(leftOut.slice(0, PATHS_NAMED)), leftOutCount: leftOut.length };
}

/** The name of files that are not complete, the same for each daemon of the store: a walk removes what a kill left. */
function temporaryNameOf(directory: string): string {
  const path = join(directory, 'name');
  if (!existsSync(path)) replaceFile(path, `.svc-restore-${randomBytes(8).toString('hex')}.part`);
  return readFileSync(path, 'utf8');
}

function diskFull(directory: string, cause: unknown): SandboxError {
  return new SandboxError('disk_full', `the file system of the checkpoints is full (${errnoName(cause)}): ${directory}`, {
    hint: 'delete files or checkpoints, then repeat the call',
    cause,
  });
}
