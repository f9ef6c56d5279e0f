import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@sandbox/program/logger.ts';
import { errnoName } from '../../errno-name.ts';

/** Lines that the file may have before it is written anew; more where it has to name more ids than that. */
const MIN_LINES = 1024;
const CLOSED = -1;

/**
 * The file `owners` of the runtime directory: one line per start, `["owner","id"]`, written before the process can
 * exist. It is not synced: it outlives the daemon, not the machine, as the processes do.
 */
export class OwnerJournal implements Disposable {
  readonly #path: string;
  readonly #logger: Logger;
  #fd: number;
  #lines = 0;
  #maxLines = MIN_LINES;
  #isFailing = false;

  private constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
    this.#fd = openSync(path, 'a', 0o600);
  }

  /**
   * Opens the journal of a runtime directory. `owners` maps each id to the owner of its last whole line.
   * @throws Error where the file cannot be read or written
   */
  static open(directory: string, logger: Logger): { journal: OwnerJournal; owners: Map<string, string> } {
    const path = join(directory, 'owners');
    const owners = ownersIn(readText(path));
    return { journal: new OwnerJournal(path, logger), owners };
  }

  /** The file has become long: `compact` is due. */
  get isLong(): boolean {
    return this.#lines >= this.#maxLines;
  }

  /** One write(2). A disk that refuses is logged, and the process starts nevertheless. */
  append(owner: string, id: string): void {
    if (this.#fd === CLOSED) return;
    try {
      writeSync(this.#fd, lineOf(owner, id));
      this.#lines += 1;
      this.#isFailing = false;
    } catch (error) {
      this.#complain(error, 'the owners of processes cannot be written; a later daemon may not know them');
    }
  }

  /** Writes the file anew with these owners alone. */
  compact(owners: ReadonlyMap<string, string>): void {
    // Set before the attempt, so that a disk that refuses is asked again only after as many starts.
    this.#lines = owners.size;
    this.#maxLines = Math.max(MIN_LINES, 2 * owners.size);
    try {
      const fd = replaceFile(this.#path, Array.from(owners, ([id, owner]) => lineOf(owner, id)).join(''));
      closeSync(this.#fd);
      this.#fd = fd;
    } catch (error) {
      this.#complain(error, 'the owners of processes cannot be written anew; the file stays as it is');
    }
  }

  /** Nothing is written from now on. */
  [Symbol.dispose](): void {
    if (this.#fd !== CLOSED) closeSync(this.#fd);
    this.#fd = CLOSED;
  }

  #complain(error: unknown, message: string): void {
    if (!this.#isFailing) this.#logger.error({ err: error }, message);
    this.#isFailing = true;
  }
}

/** Answers a descriptor that appends to the new file. */
function replaceFile(path: string, text: string): number {
  const next = `${path}.next`;
  writeFileSync(next, text, { mode: 0o600 });
  const fd = openSync(next, 'a');
  try {
    renameSync(next, path);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The line feed stands first: a line that a full disk cuts short does not spoil the next one. */
function lineOf(owner: string, id: string): string {
  return `\n${JSON.stringify([owner, id])}`;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return '';
    throw error;
  }
}

function ownersIn(text: string): Map<string, string> {
  const owners = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [owner, id] = parse(line);
    if (typeof owner === 'string' && typeof id === 'string') owners.set(id, owner);
  }
  return owners;
}

/** Empty where the line is torn. */
function parse(line: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
