import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { discard } from '../../../core/files/discard.ts';
import type { Since } from '../../../core/process/find/started-processes.ts';
import type { KilledProgram } from '../../../core/process/memory-kill.ts';
import { replaceFile } from '../../../core/records/replace-file.ts';
import { type RuntimeSpace, recordRefused } from '../../../core/records/runtime-space.ts';
import type { RuntimeDir } from '../../../core/runtime-dir.ts';
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
  /** The signal that ended the shell with it. */
  signal?: string;
  /** The memory limit killed a process of it. */
  memoryKilled?: KilledProgram;
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
  /** Null: persistent if it is named, else expiring. */
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
  /** The same moments by the age clock; absent in records of earlier versions. */
  readonly createdTick?: number;
  lastUsedTick?: number;
  /** Process ids of the host, and the offset at which the output of each shell begins. */
  readonly shells: {
    readonly id: string;
    readonly pid: number;
    readonly base: number;
    /** Name of the tmux session, if it differs from the id. */
    readonly name?: string;
  }[];
  exitCode: number | null;
  signal: string | null;
  /** The memory limit killed the shell, or a process of it. */
  memoryKilled?: KilledProgram;
  state: 'open' | 'ended' | 'lost';
  /** The screen is given up: drawing it took too long, or too much memory. */
  screenFailure?: 'time' | 'memory';
  readonly console: ConsoleRecord[];
  current: CurrentExec | null;
}

/** Calls of `exec` that a record keeps. */
export const CONSOLE_KEPT = 50;

/** The records on disk: one file for each session, replaced atomically. */
export class SessionFiles {
  readonly #directory: string;
  readonly #space: RuntimeSpace;

  constructor(runtime: RuntimeDir) {
    this.#directory = runtime.directory('terminals');
    this.#space = runtime.space;
  }

  /** @throws SandboxError `disk_full`, `unavailable`: the session must not begin */
  create(record: SessionRecord): void {
    this.#space.requireRoom();
    try {
      this.#space.replace(this.#pathOf(record.id), JSON.stringify(record));
    } catch (error) {
      throw recordRefused(error, this.#directory);
    }
  }

  /** A change that a full disk refuses leaves the record of before, with which a next daemon finds the session. */
  save(record: SessionRecord): void {
    try {
      replaceFile(this.#pathOf(record.id), JSON.stringify(record));
    } catch {
      // The next change tries again.
    }
  }

  /**
   * Without it a next daemon would not know the shell: it may use what is set aside.
   * @throws SandboxError `disk_full`, `unavailable`: the session must end
   */
  saveShell(record: SessionRecord): void {
    try {
      this.#space.replace(this.#pathOf(record.id), JSON.stringify(record));
    } catch (error) {
      throw recordRefused(error, this.#directory);
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
