import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { KeptJson } from '../../core/records/kept-json.ts';
import type { RuntimeSpace } from '../../core/records/runtime-space.ts';
import { sandboxIdOfHost } from '../../http/protocols/sandbox-id.ts';
import { Refused } from './answers.ts';

const FILE = 'sandboxes.json';
const STARTED_FILE = 'started.json';
/** Ids that are remembered in the shared mode, and sessions. */
const MAX_SANDBOXES = 1000;
const MAX_SESSIONS = 1000;
/** Characters of the variables of all sessions: each change of a session writes them. */
const MAX_VARIABLES = 1024 ** 2;
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
  readonly #isShared: boolean;
  readonly #baseId: string;
  readonly #kept: KeptJson<Kept>;
  /** A file of its own: each start writes it. */
  readonly #started: KeptJson<readonly StartedRecord[]>;

  constructor(directory: string, space: RuntimeSpace, { sandboxId, protocolShared }: StateTerms) {
    this.#isShared = protocolShared;
    this.#baseId = sandboxId ?? sandboxIdOfHost();
    this.#kept = new KeptJson<Kept>(space, join(directory, FILE), { sandboxes: [], sessions: [] });
    this.#started = new KeptJson<readonly StartedRecord[]>(space, join(directory, STARTED_FILE), []);
  }

  get started(): readonly StartedRecord[] {
    return this.#started.value;
  }

  get hasAlive(): boolean {
    return this.#kept.value.sandboxes.some(({ isAlive }) => isAlive);
  }

  /** @throws SandboxError `capacity` while there is another one, unless each create has an id of its own */
  create(): SandboxRecord {
    const alive = this.#kept.value.sandboxes.filter(({ isAlive }) => isAlive);
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
    const known = this.#kept.value.sandboxes.find((sandbox) => sandbox.id === id);
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
    const { sandboxes, sessions } = this.#kept.value;
    this.#kept.set({
      sandboxes: sandboxes.map((one) => (one.id === id ? { ...one, isAlive: false } : one)),
      sessions: sessions.filter(({ sandboxId }) => sandboxId !== id),
    });
  }

  sessionsOf(sandboxId: string): readonly SessionRecord[] {
    return this.#kept.value.sessions.filter((session) => session.sandboxId === sandboxId);
  }

  /** @throws Refused 404 */
  session(sandboxId: string, id: string): SessionRecord {
    const found = this.sessionsOf(sandboxId).find((session) => session.id === id);
    if (found) return found;
    throw new Refused(404, `session ${id} was not found: create it by POST /v1/sandbox/${sandboxId}/session`);
  }

  /** @throws SandboxError `conflict` for an id that is taken, `unavailable` if the sandbox has ended meanwhile, `capacity`, `disk_full` */
  addSession(session: SessionRecord, { id, life }: SandboxRecord): void {
    const sandbox = this.find(id);
    if (!sandbox?.isAlive || sandbox.life !== life) throw new SandboxError('unavailable', `sandbox ${id} was deleted`);
    if (this.sessionsOf(id).some((one) => one.id === session.id)) {
      throw new SandboxError('conflict', `session ${session.id} exists already: delete it or use another id`);
    }
    const all = [...this.#kept.value.sessions, session];
    if (all.length > MAX_SESSIONS) throw new SandboxError('capacity', `${MAX_SESSIONS} sessions exist`);
    if (JSON.stringify(all.map(({ env }) => env)).length > MAX_VARIABLES) {
      throw new SandboxError('capacity', `the variables of all sessions have over ${MAX_VARIABLES} characters`, {
        hint: 'delete a session, or give the variables to each command',
      });
    }
    this.#setSessions(all);
  }

  /** Without effect if the session has been deleted meanwhile. */
  setTerminal({ directory }: SessionRecord, terminalId: string): void {
    const changed = (one: SessionRecord) => (one.directory === directory ? { ...one, terminalId } : one);
    this.#setSessions(this.#kept.value.sessions.map(changed));
  }

  removeSession({ directory }: SessionRecord): void {
    this.#setSessions(this.#kept.value.sessions.filter((one) => one.directory !== directory));
  }

  /** @param isKnown whether a capability still has a record of an id: others are forgotten */
  note(record: StartedRecord, isKnown: (id: string) => boolean): void {
    this.#started.set([...this.started.filter(({ id }) => isKnown(id)), record]);
  }

  #begin(id: string): SandboxRecord {
    const { sandboxes, sessions } = this.#kept.value;
    const begun = { id, isAlive: true, life: (this.find(id)?.life ?? 0) + 1 };
    const others = sandboxes.filter((one) => one.id !== id);
    const ended = others.filter(({ isAlive }) => !isAlive).slice(-MAX_SANDBOXES);
    this.#kept.set({ sandboxes: [...ended, ...others.filter(({ isAlive }) => isAlive), begun], sessions });
    return begun;
  }

  #setSessions(sessions: readonly SessionRecord[]): void {
    this.#kept.set({ ...this.#kept.value, sessions });
  }
}

function newId(): string {
  return [...randomBytes(ID_LETTERS)].map((byte) => BASE32[byte % BASE32.length]).join('');
}
