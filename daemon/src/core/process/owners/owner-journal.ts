import { join } from 'node:path';
import type { Logger } from '@sandbox/program/logger.ts';
import { LineJournal, readEntries } from '../../records/line-journal.ts';

/** Lines that the file may have before it is rewritten; more if it has to name more ids than that. */
const MIN_LINES = 1024;
/** Bytes set aside for processes of this start and the next few on a full disk. */
const RESERVE_BYTES = 8 * 1024;

/**
 * The file `owners` of the runtime directory: one line per start, `["owner","id"]`, written before the process can
 * exist.
 */
export class OwnerJournal implements Disposable {
  readonly #lines: LineJournal;
  readonly #logger: Logger;
  #count = 0;
  #maxCount = MIN_LINES;
  #isFailing = false;

  private constructor(path: string, logger: Logger) {
    this.#logger = logger;
    this.#lines = new LineJournal(path, { reserveBytes: RESERVE_BYTES });
  }

  /**
   * Opens the journal of a runtime directory. `owners` maps each id to the owner of its last whole line.
   * @throws Error if the file cannot be read or written; a full disk is no such failure
   */
  static open(directory: string, logger: Logger): { journal: OwnerJournal; owners: Map<string, string> } {
    const path = join(directory, 'owners');
    const owners = ownersIn(readEntries(path));
    return { journal: new OwnerJournal(path, logger), owners };
  }

  /** The file has become long: `compact` is due. */
  get isLong(): boolean {
    return this.#count >= this.#maxCount;
  }

  /** @throws the error of the system call: the process must not start */
  append(owner: string, id: string): void {
    this.#lines.append(JSON.stringify([owner, id]), { spend: true });
    this.#count += 1;
  }

  /** Rewrites the file with these owners alone. A disk that refuses leaves it as it is. */
  compact(owners: ReadonlyMap<string, string>): void {
    // Set before the attempt, so that a disk that refuses is asked again only after as many starts.
    this.#count = owners.size;
    this.#maxCount = Math.max(MIN_LINES, 2 * owners.size);
    try {
      this.#lines.replace(Array.from(owners, ([id, owner]) => JSON.stringify([owner, id])));
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#logger.error({ err: error }, 'the owners of processes cannot be rewritten');
      this.#isFailing = true;
    }
  }

  /** Nothing is written from now on. */
  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}

function ownersIn(entries: readonly unknown[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const entry of entries) {
    const [owner, id]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof owner === 'string' && typeof id === 'string') owners.set(id, owner);
  }
  return owners;
}
