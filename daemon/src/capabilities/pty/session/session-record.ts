import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { discard } from '../../../core/files/discard.ts';
import type { Since } from '../../../core/process/find/started-processes.ts';
import type { ExecStatus } from '../exec/exec-status.ts';

/** One call of `exec`. Its output is in the history. */
export interface ConsoleRecord {
  /** The prompt at which it was typed. */
  ps1: string;
  readonly command: string;
  /** Offsets of the output; `end` is null while the command runs. */
  start: number;
  end: number | null;
  exitCode: number | null;
  /** Set once the command has ended. */
  status?: ExecStatus;
}

/** The command that runs in the shell now. */
interface CurrentExec {
  readonly nonce: string;
  readonly typedAt: number;
  readonly since?: Since | undefined;
}

export type Retention = 'persistent' | 'expiring';

/** A session as it is stored on disk. */
export interface SessionRecord {
  readonly id: string;
  /** The caller chose the id, or a later call used it: the session never gives way. */
  named: boolean;
  /** Null: persistent where it is named, else expiring. */
  readonly retention: Retention | null;
  readonly user: string | null;
  /** First directory of the shell, and the last one that was seen. */
  readonly cwd: string;
  workingDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Null: the shell of the account. */
  readonly command: string | null;
  readonly args: readonly string[];
  cols: number;
  rows: number;
  /** Seconds. */
  noChangeTimeout: number | null;
  readonly createdAt: string;
  lastUsedAt: string;
  /** Process ids of the host, and the offset at which the output of each shell begins. */
  readonly shells: {
    readonly id: string;
    readonly pid: number;
    readonly base: number;
    /** Name of the tmux session, where it differs from the id. */
    readonly name?: string;
  }[];
  exitCode: number | null;
  signal: string | null;
  state: 'open' | 'ended' | 'lost';
  readonly console: ConsoleRecord[];
  current: CurrentExec | null;
}

/** Calls of `exec` that a record keeps. */
export const CONSOLE_KEPT = 50;

/** The records on disk: one file for each session, replaced atomically. */
export class SessionFiles {
  readonly #directory: string;

  constructor(runtimeDir: string) {
    this.#directory = join(runtimeDir, 'terminals');
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  /** A record that cannot be written is lost to the next daemon; the session goes on. */
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

  /** The records that can be read. */
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

  /** Hashed, since an id may have characters that a file name cannot. */
  #pathOf(id: string): string {
    return join(this.#directory, `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`);
  }
}
