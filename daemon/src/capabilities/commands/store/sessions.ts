import { randomUUID } from 'node:crypto';
import { SandboxError } from '../../../core/errors.ts';

/** Defaults for the commands of one caller. */
export interface CommandSession {
  readonly id: string;
  cwd: string | null;
  env: Readonly<Record<string, string>>;
  user: string | null;
  readonly createdAt: string;
  lastUsedAt: string;
  commandCount: number;
  /** Created for one call that named no session; dropped with the record of its command. */
  readonly implicit: boolean;
}

export interface SessionTerms {
  readonly id?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  readonly implicit?: boolean | undefined;
}

/** The open command sessions. The ceiling counts those that a caller named; implicit ones go with their commands. */
export class CommandSessions {
  readonly #sessions = new Map<string, CommandSession>();
  readonly #maxNamed: number;

  constructor(maxNamed: number, found: Iterable<CommandSession> = []) {
    this.#maxNamed = maxNamed;
    for (const session of found) this.#sessions.set(session.id, session);
  }

  /** @throws SandboxError `conflict` where the id is taken, `capacity` where the ceiling is reached */
  create({ id = randomUUID(), cwd, env = {}, user, implicit = false }: SessionTerms): CommandSession {
    if (this.#sessions.has(id)) throw new SandboxError('conflict', `the session exists already: ${id}`);
    if (!implicit) this.#refuseBeyondCeiling();
    const now = new Date().toISOString();
    const session: CommandSession = {
      id,
      cwd: cwd ?? null,
      env,
      user: user ?? null,
      createdAt: now,
      lastUsedAt: now,
      commandCount: 0,
      implicit,
    };
    this.#sessions.set(id, session);
    return session;
  }

  /** @throws SandboxError `not_found` */
  get(id: string): CommandSession {
    const session = this.#sessions.get(id);
    if (!session) throw new SandboxError('not_found', `no command session with id ${id}`);
    return session;
  }

  find(id: string): CommandSession | undefined {
    return this.#sessions.get(id);
  }

  list(): CommandSession[] {
    return [...this.#sessions.values()];
  }

  remove(id: string): void {
    this.#sessions.delete(id);
  }

  #refuseBeyondCeiling(): void {
    const named = this.list().filter((session) => !session.implicit);
    if (named.length < this.#maxNamed) return;
    const holders = named.map(({ id, createdAt, lastUsedAt }) => ({
      sessionId: id,
      createdAt,
      lastUsedAt,
    }));
    throw new SandboxError('capacity', `${named.length} command sessions are open, the ceiling is ${this.#maxNamed}`, {
      hint: 'close some of them, or raise SVC_COMMAND_MAX_SESSIONS',
      data: { holders },
    });
  }
}
