import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { KeptJson } from '../../../core/records/kept-json.ts';
import type { RuntimeSpace } from '../../../core/records/runtime-space.ts';

const FILE = 'sessions.json';
const MAX_SESSIONS = 1000;

/** A shell that a client has opened: a terminal of ours under its name. */
export interface SessionRecord {
  readonly name: string;
  readonly terminalId: string;
  /** With the text of the command that runs. */
  readonly directory: string;
  /** What the shell prints when it waits for a line. */
  readonly prompt: string;
  /** Output before it was given to the client. */
  readonly at: number;
}

/** The sessions, on disk too: a next daemon finds the terminals. */
export class SessionStore {
  readonly #kept: KeptJson<readonly SessionRecord[]>;

  constructor(directory: string, space: RuntimeSpace) {
    this.#kept = new KeptJson<readonly SessionRecord[]>(space, join(directory, FILE), []);
  }

  list(): readonly SessionRecord[] {
    return this.#kept.value;
  }

  find(name: string): SessionRecord | undefined {
    return this.list().find((record) => record.name === name);
  }

  /** @throws SandboxError `capacity`, `disk_full` */
  put(record: SessionRecord): void {
    const all = [...this.#without(record.name), record];
    if (all.length > MAX_SESSIONS) {
      throw new SandboxError('capacity', `${MAX_SESSIONS} sessions are open`, { hint: 'close one by /close_session' });
    }
    this.#kept.set(all);
  }

  /** @throws SandboxError `disk_full` */
  remove(name: string): void {
    this.#kept.set(this.#without(name));
  }

  #without(name: string): readonly SessionRecord[] {
    return this.list().filter((record) => record.name !== name);
  }
}
