import { join } from 'node:path';
import type { Logger } from '@sandbox/program/logger.ts';
import { LineJournal, readEntries } from '../../../core/records/line-journal.ts';
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
/** Bytes set aside for the ends of commands on a full disk. */
const RESERVE_BYTES = 64 * 1024;

/** The state of commands and sessions as NDJSON. A change is appended before its call is answered. */
export class Journal {
  readonly #lines: LineJournal;
  readonly #logger: Logger;
  #compactedLength: number;
  #failing = false;

  private constructor(lines: LineJournal, logger: Logger) {
    this.#lines = lines;
    this.#logger = logger;
    this.#compactedLength = lines.length;
  }

  /** Opens the journal of a directory and replays it. */
  static open(directory: string, logger: Logger): { journal: Journal; found: JournalState } {
    const path = join(directory, 'commands.ndjson');
    const found = replay(readEntries(path) as Entry[]);
    return { journal: new Journal(new LineJournal(path, { reserveBytes: RESERVE_BYTES }), logger), found };
  }

  /** A beginning, which the call that needs it must not be answered without. @throws the error of the system call */
  begin(entry: Entry): void {
    this.#lines.append(JSON.stringify(entry));
  }

  /** What follows from a beginning: it may use the reserve. Returns whether the whole line was written. */
  append(entry: Entry): boolean {
    return this.#try('the journal of commands cannot be written', () => {
      this.#lines.append(JSON.stringify(entry), { spend: true });
    });
  }

  /** Whether the reserve is whole; fills it first. */
  refill(): boolean {
    return this.#lines.refill();
  }

  /** Rewrites the journal from the current state, once it has grown long. */
  compactIfLong(state: () => JournalState): void {
    if (this.#lines.length - this.#compactedLength >= COMPACT_BYTES) this.compact(state());
  }

  /** Returns whether the new journal is in place. */
  compact({ records, sessions }: JournalState): boolean {
    const entries: Entry[] = [
      ...[...sessions.values()].map((session) => ({ t: 'session' as const, session })),
      ...[...records.values()].map((record) => ({ t: 'command' as const, record })),
    ];
    return this.#try('the journal of commands cannot be compacted', () => {
      this.#lines.replace(entries.map((entry) => JSON.stringify(entry)));
      this.#compactedLength = this.#lines.length;
    });
  }

  close(): void {
    this.#lines[Symbol.dispose]();
  }

  /** Logs the first of several failures. */
  #try(message: string, write: () => void): boolean {
    try {
      write();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#logger.error({ err: error }, message);
      this.#failing = true;
    }
    return !this.#failing;
  }
}

function replay(entries: Iterable<Entry | null>): JournalState {
  const records = new Map<string, CommandRecord>();
  const sessions = new Map<string, CommandSession>();
  for (const entry of entries) {
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
