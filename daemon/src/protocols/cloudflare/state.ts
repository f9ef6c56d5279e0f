import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { RuntimeSpace } from '../../core/records/runtime-space.ts';
import { sandboxIdOfHost } from '../../http/protocols/sandbox-id.ts';
import { Refused } from './answers.ts';

const FILE = 'sandboxes.json';
/** Ids that are remembered in the shared mode, and sessions. */
const MAX_SANDBOXES = 1000;
const MAX_SESSIONS = 1000;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LETTERS = 26;

/** An id that was given. */
export interface SandboxRecord {
  readonly id: string;
  readonly isAlive: boolean;
  /** Raised each time that it begins again: what was started before belongs to an earlier life. */
  readonly life: number;
}

/** An execution session of a client. */
export interface SessionRecord {
  readonly id: string;
  readonly sandboxId: string;
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Directory in which its commands keep what the next one begins with; no other session ever has it. */
  readonly directory: string;
  /** Of its terminal. */
  readonly terminalId: string | null;
}

/** A command or terminal that was started. */
export interface StartedRecord {
  readonly id: string;
  readonly sandboxId: string;
  readonly life: number;
  readonly sessionId: string | null;
}

interface Kept {
  readonly sandboxes: readonly SandboxRecord[];
  readonly sessions: readonly SessionRecord[];
  readonly started: readonly StartedRecord[];
}

interface StateTerms {
  readonly sandboxId: string | undefined;
  readonly protocolShared: boolean;
}

/** Whether a daemon before this one left something. */
export function hasState(directory: string): boolean {
  return existsSync(join(directory, FILE));
}

/** Which ids were given, and what was started with them; on disk before it is acknowledged. */
export class State {
  readonly #file: string;
  readonly #space: RuntimeSpace;
  readonly #isShared: boolean;
  readonly #baseId: string;
  #kept: Kept;

  constructor(directory: string, space: RuntimeSpace, { sandboxId, protocolShared }: StateTerms) {
    this.#file = join(directory, FILE);
    this.#space = space;
    this.#isShared = protocolShared;
    this.#baseId = sandboxId ?? sandboxIdOfHost();
    this.#kept = read(this.#file) ?? { sandboxes: [], sessions: [], started: [] };
  }

  get started(): readonly StartedRecord[] {
    return this.#kept.started;
  }

  get hasAlive(): boolean {
    return this.#kept.sandboxes.some(({ isAlive }) => isAlive);
  }

  /** @throws SandboxError `capacity` while there is another one, unless each create has an id of its own */
  create(): SandboxRecord {
    const alive = this.#kept.sandboxes.filter(({ isAlive }) => isAlive);
    if (!this.#isShared && alive[0]) {
      throw new SandboxError('capacity', `sandbox ${alive[0].id} is alive: this service is one sandbox`, {
        hint: 'use it, delete it, or set SVC_PROTOCOL_SHARED=true',
      });
    }
    if (alive.length >= MAX_SANDBOXES) throw new SandboxError('capacity', `${MAX_SANDBOXES} sandboxes are alive`);
    return this.#begin(this.#isShared ? newId() : this.#baseId);
  }

  /** Undefined: the id was never given. */
  find(id: string): SandboxRecord | undefined {
    const known = this.#kept.sandboxes.find((sandbox) => sandbox.id === id);
    if (known || this.#isShared || id !== this.#baseId) return known;
    return { id, isAlive: false, life: 0 };
  }

  /** An id that was deleted begins again, as with the bridge. @throws Refused 404 */
  enter(id: string): SandboxRecord {
    const known = this.find(id);
    if (!known) throw new Refused(404, `sandbox ${id} was not found: create one by POST /v1/sandbox`);
    return known.isAlive ? known : this.#begin(id);
  }

  /** Nothing more is started with it. */
  end(id: string): void {
    this.#write({
      sandboxes: this.#kept.sandboxes.map((one) => (one.id === id ? { ...one, isAlive: false } : one)),
      sessions: this.#kept.sessions.filter(({ sandboxId }) => sandboxId !== id),
    });
  }

  sessionsOf(sandboxId: string): readonly SessionRecord[] {
    return this.#kept.sessions.filter((session) => session.sandboxId === sandboxId);
  }

  /** @throws Refused 404 */
  session(sandboxId: string, id: string): SessionRecord {
    const found = this.sessionsOf(sandboxId).find((session) => session.id === id);
    if (found) return found;
    throw new Refused(404, `session ${id} was not found: create it by POST /v1/sandbox/${sandboxId}/session`);
  }

  /** @throws SandboxError `conflict` for an id that is taken, `unavailable` if the sandbox has ended meanwhile, `capacity` */
  addSession(session: SessionRecord, { id, life }: SandboxRecord): void {
    const sandbox = this.find(id);
    if (!sandbox?.isAlive || sandbox.life !== life) throw new SandboxError('unavailable', `sandbox ${id} was deleted`);
    if (this.sessionsOf(id).some((one) => one.id === session.id)) {
      throw new SandboxError('conflict', `session ${session.id} exists already: delete it or use another id`);
    }
    const { sessions } = this.#kept;
    if (sessions.length >= MAX_SESSIONS) throw new SandboxError('capacity', `${MAX_SESSIONS} sessions exist`);
    this.#write({ sessions: [...sessions, session] });
  }

  /** Without effect if the session has been deleted meanwhile. */
  setTerminal({ directory }: SessionRecord, terminalId: string): void {
    const changed = (one: SessionRecord) => (one.directory === directory ? { ...one, terminalId } : one);
    this.#write({ sessions: this.#kept.sessions.map(changed) });
  }

  removeSession({ directory }: SessionRecord): void {
    this.#write({ sessions: this.#kept.sessions.filter((one) => one.directory !== directory) });
  }

  /** @param isKnown whether a capability still has a record of an id: others are forgotten */
  note(record: StartedRecord, isKnown: (id: string) => boolean): void {
    this.#write({ started: [...this.#kept.started.filter(({ id }) => isKnown(id)), record] });
  }

  #begin(id: string): SandboxRecord {
    const { sandboxes } = this.#kept;
    const begun = { id, isAlive: true, life: (this.find(id)?.life ?? 0) + 1 };
    const others = sandboxes.filter((one) => one.id !== id);
    const ended = others.filter(({ isAlive }) => !isAlive).slice(-MAX_SANDBOXES);
    this.#write({ sandboxes: [...ended, ...others.filter(({ isAlive }) => isAlive), begun] });
    return begun;
  }

  #write(changed: Partial<Kept>): void {
    const kept = { ...this.#kept, ...changed };
    this.#space.replace(this.#file, JSON.stringify(kept));
    this.#kept = kept;
  }
}

function newId(): string {
  return [...randomBytes(ID_LETTERS)].map((byte) => BASE32[byte % BASE32.length]).join('');
}

function read(file: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}
