import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RuntimeSpace } from '../../../core/records/runtime-space.ts';
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
  /** Absent in records of earlier versions. */
  readonly createdTick?: number;
  /** Absent in records of earlier versions. */
  readonly isNamed?: boolean;
}

/** The list of sessions on disk, written again with each change: there are few. */
export class SessionFile {
  readonly #path: string;
  readonly #space: RuntimeSpace;

  constructor(directory: string, space: RuntimeSpace) {
    this.#path = join(directory, 'sessions.json');
    this.#space = space;
  }

  /** Empty if none exists, or none that can be read. */
  read(): SessionRecord[] {
    try {
      const records: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return Array.isArray(records) ? records : [];
    } catch {
      return [];
    }
  }

  /** @throws the error of the system call; the list is then as it was */
  write(records: readonly SessionRecord[]): void {
    this.#space.replace(this.#path, JSON.stringify(records));
  }
}
