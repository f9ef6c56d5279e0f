import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionTable } from '../runtime/language-runtime.ts';

/** A session as a restarted daemon finds it. */
export interface SessionRecord {
  readonly id: string;
  readonly table: SessionTable;
  readonly processId: string;
  readonly language: string;
  readonly variant: string;
  /** Name of the account. */
  readonly user: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly idleSeconds: number;
  readonly createdAt: string;
}

/** The list of sessions on disk, written anew with each change: there are few. */
export class SessionFile {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, 'sessions.json');
  }

  /** Empty where there is none, or none that can be read. */
  read(): SessionRecord[] {
    try {
      const records: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return Array.isArray(records) ? records : [];
    } catch {
      return [];
    }
  }

  /** A disk that refuses leaves the list as it was: a restarted daemon then ends what it does not name. */
  write(records: readonly SessionRecord[]): void {
    try {
      writeFileSync(`${this.#path}.new`, JSON.stringify(records), { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
    } catch {
      return;
    }
  }
}
