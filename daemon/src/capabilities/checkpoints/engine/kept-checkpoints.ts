import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isFull } from '../../../core/records/replace-file.ts';
import { removeChanges } from '../diff/changes-file.ts';
import { removeSpools } from '../import/spool-file.ts';
import { BlobStore } from '../store/blob-store.ts';
import { RecordJournal } from '../store/record-journal.ts';
import { SegmentCache, StoredTree } from '../tree/tree-view.ts';
import { collect } from './collect.ts';
import { diskFull, engineFailure, storeFull } from './engine-errors.ts';
import { type CheckpointRecord, type EngineAccount, type EngineTerms, noCheckpoint } from './engine-protocol.ts';
import { TreeSession, temporaryNameOf } from './tree-session.ts';

/** The records of checkpoints and the blobs that they need. */
export class KeptCheckpoints implements Disposable {
  readonly terms: EngineTerms;
  readonly store: BlobStore;
  readonly records: RecordJournal;
  readonly cache = new SegmentCache();
  readonly #temporaryName: string;

  constructor(terms: EngineTerms) {
    this.terms = terms;
    mkdirSync(terms.directory, { recursive: true, mode: 0o700 });
    this.#temporaryName = temporaryNameOf(terms.directory);
    this.store = new BlobStore(terms.directory);
    this.records = new RecordJournal(terms.directory);
    rmSync(join(terms.directory, 'incoming'), { force: true });
    removeChanges(terms.directory);
    removeSpools(terms.directory);
  }

  /** @throws SandboxError `not_found` */
  recordOf(id: string): CheckpointRecord {
    const record = this.records.get(id);
    if (record) return record;
    throw noCheckpoint(id);
  }

  /** @throws DamagedBlob */
  treeOf({ tree }: CheckpointRecord): StoredTree {
    return new StoredTree(Buffer.from(tree, 'hex').toString('latin1'), this.store, this.cache);
  }

  /** The last one of a directory that was walked: files of an imported one have no inodes of this machine. */
  newestOf(root: string): CheckpointRecord | undefined {
    return this.records.all.findLast((one) => one.root === root && one.origin !== 'import');
  }

  /** A helper that has the directory open. @throws TreeFailure; SandboxError `conflict` */
  open(root: Buffer, account: EngineAccount | undefined): Promise<TreeSession> {
    return TreeSession.open(this.terms, this.store, { root, account, temporaryName: this.#temporaryName });
  }

  /** @param kept of a pack that stays as it is, the part that is used */
  drop(records: readonly CheckpointRecord[], kept?: number): void {
    for (const { id } of records) this.records.drop(id);
    if (records.length > 0) this.giveBack(kept);
  }

  /** Drops what no checkpoint has. @throws the error of write(2) */
  collect(kept?: number): void {
    collect(this.records.all, this.store, this.cache, kept);
  }

  /** As `collect`, but on a full disk it stays until a checkpoint is deleted. */
  giveBack(kept?: number): void {
    try {
      this.collect(kept);
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  /** @throws the failure of what is read, in the words of the domain */
  whole<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** An error in the words of the domain. */
  failure(error: unknown): unknown {
    return isFull(error) ? diskFull(this.terms.directory, error) : engineFailure(error, storeFull(this.terms));
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]();
    this.records[Symbol.dispose]();
  }
}
