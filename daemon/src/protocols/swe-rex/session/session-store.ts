import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
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
  readonly #file: string;
  readonly #space: RuntimeSpace;
  readonly #sessions = new Map<string, SessionRecord>();

  constructor(directory: string, space: RuntimeSpace) {
    this.#file = join(directory, FILE);
    this.#space = space;
    for (const record of read(this.#file)) this.#sessions.set(record.name, record);
  }

  list(): SessionRecord[] {
    return [...this.#sessions.values()];
  }

  find(name: string): SessionRecord | undefined {
    return this.#sessions.get(name);
  }

  put(record: SessionRecord): void {
    if (!this.#sessions.has(record.name) && this.#sessions.size >= MAX_SESSIONS) {
      throw new SandboxError('capacity', `${MAX_SESSIONS} sessions are open`, { hint: 'close one by /close_session' });
    }
    this.#sessions.set(record.name, record);
    this.#write();
  }

  remove(name: string): void {
    this.#sessions.delete(name);
    this.#write();
  }

  #write(): void {
    this.#space.replace(this.#file, JSON.stringify(this.list()));
  }
}

function read(file: string): readonly SessionRecord[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SessionRecord[];
  } catch {
    return [];
  }
}
