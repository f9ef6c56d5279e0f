import { join } from 'node:path';
import { LineJournal, readEntries } from '../../../core/records/line-journal.ts';
import type { CheckpointRecord } from '../engine/engine-protocol.ts';

/** Zeros behind the last line, so that a full disk cannot refuse that a checkpoint is dropped. */
const RESERVE_BYTES = 64 * 1024;
/** Lines of dropped checkpoints that are kept. */
const SPENT_LINES = 1000;

/** The checkpoints of a store, oldest first: a line for each, and one for each that was dropped. */
export class RecordJournal implements Disposable {
  readonly #journal: LineJournal;
  readonly #records = new Map<string, CheckpointRecord>();
  #lines = 0;
  #all: readonly CheckpointRecord[] | undefined;

  constructor(directory: string) {
    const path = join(directory, 'checkpoints');
    for (const line of readEntries(path)) {
      this.#lines += 1;
      if (isDrop(line)) this.#records.delete(line.dropped);
      else if (isRecord(line)) this.#records.set(line.id, line);
    }
    this.#journal = new LineJournal(path, { reserveBytes: RESERVE_BYTES });
  }

  get all(): readonly CheckpointRecord[] {
    this.#all ??= [...this.#records.values()];
    return this.#all;
  }

  get count(): number {
    return this.#records.size;
  }

  get(id: string): CheckpointRecord | undefined {
    return this.#records.get(id);
  }

  /** @throws the error of the system call; the checkpoint then does not exist */
  add(record: CheckpointRecord): void {
    this.#journal.append(JSON.stringify(record));
    this.#lines += 1;
    this.#records.set(record.id, record);
    this.#all = undefined;
  }

  /** @throws the error of the system call; the checkpoint then still exists */
  drop(id: string): void {
    this.#journal.append(JSON.stringify({ dropped: id }), { spend: true });
    this.#lines += 1;
    this.#records.delete(id);
    this.#all = undefined;
    if (this.#lines < 2 * this.#records.size + SPENT_LINES) return;
    this.#journal.replace(this.all.map((record) => JSON.stringify(record)));
    this.#lines = this.#records.size;
  }

  [Symbol.dispose](): void {
    this.#journal[Symbol.dispose]();
  }
}

function isDrop(line: unknown): line is { readonly dropped: string } {
  return typeof line === 'object' && line !== null && 'dropped' in line && typeof line.dropped === 'string';
}

/** Lines are written by this class alone. */
function isRecord(line: unknown): line is CheckpointRecord {
  return typeof line === 'object' && line !== null && 'id' in line && 'tree' in line;
}
