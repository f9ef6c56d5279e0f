import { realpathSync } from 'node:fs';
import type { AgeClock } from '../../core/clock/age-clock.ts';
import type { Retention, SessionRecord } from './session/session-record.ts';

/** What a caller asks of a new session. */
export interface SessionTerms {
  readonly id?: string | undefined;
  /** Absolute; the home of the account by default. */
  readonly cwd?: string | undefined;
  /** What `$PWD` of the first shell shows of `cwd`; unset: what the shell makes of it. */
  readonly symlinks?: 'keep' | 'resolve' | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  readonly retention?: Retention | undefined;
  /** Seconds. */
  readonly noChangeTimeout?: number | undefined;
  /** A program that runs instead of the account's shell. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
}

/** The record of a new session that starts in `cwd`. */
export function newRecord(id: string, terms: SessionTerms, directory: string, clock: AgeClock): SessionRecord {
  const { at, tick } = clock.moment();
  const now = at.toISOString();
  const cwd = terms.symlinks === 'resolve' ? realPath(directory) : directory;
  return {
    id,
    named: terms.id !== undefined,
    retention: terms.retention ?? null,
    user: terms.user ?? null,
    cwd,
    workingDir: cwd,
    // A shell takes PWD from its environment if that is the directory it starts in.
    env: terms.symlinks === 'keep' ? { ...terms.env, PWD: cwd } : (terms.env ?? {}),
    command: terms.command ?? null,
    args: terms.args ?? [],
    cols: terms.cols ?? 80,
    rows: terms.rows ?? 24,
    noChangeTimeout: terms.noChangeTimeout ?? null,
    createdAt: now,
    lastUsedAt: now,
    createdTick: tick,
    lastUsedTick: tick,
    shells: [],
    exitCode: null,
    signal: null,
    state: 'open',
    console: [],
    current: null,
  };
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}
