import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@sandbox/program/logger.ts';
import { errnoName } from '../../../core/errno-name.ts';
import type { CommandRecord } from '../run/command.ts';
import type { CommandSession } from './sessions.ts';

type Entry =
  | { readonly t: 'command'; readonly record: CommandRecord }
  | { readonly t: 'change'; readonly id: string; readonly change: Partial<CommandRecord> }
  | { readonly t: 'drop'; readonly commands: readonly string[]; readonly sessions: readonly string[] }
  | { readonly t: 'session'; readonly session: CommandSession }
  | { readonly t: 'close'; readonly id: string };

export interface JournalState {
  readonly records: ReadonlyMap<string, CommandRecord>;
  readonly sessions: ReadonlyMap<string, CommandSession>;
}

/** Bytes appended after which the journal is rewritten from the current state. */
const COMPACT_BYTES = 16 * 1024 ** 2;

/**
 * The state of commands and sessions as NDJSON. A change is appended before its call is answered, so that it survives a
 * daemon that is killed; a line that the death of the daemon cut is skipped.
 */
export class Journal {
  readonly #path: string;
  readonly #logger: Logger;
  #fd: number;
  #appended = 0;
  #failing = false;
  #isTorn = false;

  private constructor(path: string, fd: number, logger: Logger) {
    this.#path = path;
    this.#fd = fd;
    this.#logger = logger;
  }

  /** Opens the journal of a directory and replays it. */
  static open(directory: string, logger: Logger): { journal: Journal; found: JournalState } {
    const path = join(directory, 'commands.ndjson');
    const found = replay(path);
    const journal = new Journal(path, openSync(path, 'a', 0o600), logger);
    return { journal, found };
  }

  /** Answers whether the whole line was written. */
  append(entry: Entry): boolean {
    try {
      this.#write(Buffer.from(`${this.#isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`));
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) {
        this.#logger.error({ err: error }, 'the journal of commands cannot be written; commands go on without it');
      }
      this.#failing = true;
    }
    return !this.#failing;
  }

  /** A full disk may take a part of a line: the next one begins after a line feed, so that it is not spoilt too. */
  #write(line: Buffer): void {
    const written = writeSync(this.#fd, line);
    if (written > 0) this.#isTorn = written < line.length;
    if (written < line.length) throw new Error(`${written} of ${line.length} bytes were written`);
    this.#appended += written;
  }

  /** Rewrites the journal from the current state, once it has grown long. */
  compactIfLong(state: () => JournalState): void {
    if (this.#appended >= COMPACT_BYTES) this.compact(state());
  }

  /** Answers whether the new journal is in place. */
  compact({ records, sessions }: JournalState): boolean {
    const entries: Entry[] = [
      ...[...sessions.values()].map((session) => ({ t: 'session' as const, session })),
      ...[...records.values()].map((record) => ({ t: 'command' as const, record })),
    ];
    const next = `${this.#path}.next`;
    try {
      writeFileSync(next, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 });
      renameSync(next, this.#path);
      closeSync(this.#fd);
      this.#fd = openSync(this.#path, 'a', 0o600);
      this.#appended = 0;
      this.#isTorn = false;
      return true;
    } catch (error) {
      this.#logger.error({ err: error }, 'the journal of commands cannot be compacted');
      return false;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function replay(path: string): JournalState {
  const records = new Map<string, CommandRecord>();
  const sessions = new Map<string, CommandSession>();
  for (const line of readLines(path)) {
    const entry = parse(line);
    switch (entry?.t) {
      case 'command':
        records.set(entry.record.id, entry.record);
        break;
      case 'change': {
        const known = records.get(entry.id);
        if (known) records.set(entry.id, { ...known, ...entry.change });
        break;
      }
      case 'drop':
        for (const id of entry.commands) records.delete(id);
        for (const id of entry.sessions) sessions.delete(id);
        break;
      case 'session':
        sessions.set(entry.session.id, entry.session);
        break;
      case 'close':
        sessions.delete(entry.id);
        break;
      default:
    }
  }
  return { records, sessions };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return [];
    throw error;
  }
}

function parse(line: string): Entry | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as Entry);
  } catch {
    return undefined;
  }
}
