import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { discard } from '../../../core/files/discard.ts';

/** One call of `exec`, as far as it is remembered. Its output is in the history. */
export interface ConsoleRecord {
  /** The prompt that it was typed at. */
  readonly ps1: string;
  readonly command: string;
  /** Offsets of its output; `end` is null while it runs. */
  start: number;
  end: number | null;
  exitCode: number | null;
}

/** A command that runs in the shell now. */
interface CurrentExec {
  readonly nonce: string;
  readonly typedAt: number;
}

export type Retention = 'persistent' | 'expiring';

/** What is known of a session, as it lies on disk. */
export interface SessionRecord {
  readonly id: string;
  /** Somebody chose the id: it is never evicted. */
  readonly named: boolean;
  readonly retention: Retention;
  readonly user: string | null;
  /** Where it began, and where its shell was last seen. */
  readonly cwd: string;
  workingDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Unset: the shell of the account. */
  readonly command: string | null;
  readonly args: readonly string[];
  cols: number;
  rows: number;
  /** Seconds. */
  noChangeTimeout: number | null;
  readonly createdAt: string;
  lastUsedAt: string;
  /** Its shells: process ids of the host, and the offset at which the output of each begins. */
  readonly shells: {
    readonly id: string;
    readonly pid: number;
    readonly base: number;
    /** Of its tmux session, where that is not the id. */
    readonly name?: string;
  }[];
  exitCode: number | null;
  signal: string | null;
  state: 'open' | 'ended' | 'lost';
  readonly console: ConsoleRecord[];
  current: CurrentExec | null;
}

/** Records of `exec` that a session remembers. */
export const CONSOLE_KEPT = 50;

/** One file a session, replaced whole. */
export class SessionFiles {
  readonly #directory: string;

  constructor(runtimeDir: string) {
    this.#directory = join(runtimeDir, 'terminals');
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  /** A disk that is full costs what a restart would find, and nothing else. */
  save(record: SessionRecord): void {
    const path = this.#pathOf(record.id);
    try {
      writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch {
      discard(`${path}.new`);
    }
  }

  remove(id: string): void {
    discard(this.#pathOf(id));
  }

  /** Those that can be read. */
  load(): SessionRecord[] {
    return readdirSync(this.#directory)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        try {
          return [JSON.parse(readFileSync(join(this.#directory, name), 'utf8')) as SessionRecord];
        } catch {
          return [];
        }
      });
  }

  /** An id may be any text, a file name not. */
  #pathOf(id: string): string {
    return join(this.#directory, `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`);
  }
}
