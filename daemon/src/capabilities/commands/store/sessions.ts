import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Registry, type RegistryTerms } from '../../../core/registry.ts';

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
  readonly #sessions: Registry<CommandSession>;

  constructor(ceiling: number, found: Iterable<CommandSession> = []) {
    const entries = [...found].map((session) => [session.id, session] as const);
    this.#sessions = new Registry(registryTerms(ceiling), entries);
  }

  /** @throws SandboxError `conflict` if the id is taken, `capacity` with the holders if the ceiling is reached */
  create({ id = randomUUID(), cwd, env = {}, user, implicit = false }: SessionTerms): CommandSession {
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
    if (implicit) this.#sessions.add(id, session);
    else this.#sessions.reserve(id).fill(session);
    return session;
  }

  /** @throws SandboxError `not_found` */
  get(id: string): CommandSession {
    const session = this.find(id);
    if (!session) {
      const hint = 'GET /v2/commands/sessions lists those that exist; create it first';
      throw new SandboxError('not_found', `no command session with id ${id}`, { hint });
    }
    return session;
  }

  find(id: string): CommandSession | undefined {
    return this.#sessions.find(id);
  }

  list(): CommandSession[] {
    return this.#sessions.list();
  }

  remove(id: string): void {
    const session = this.find(id);
    if (session) this.#sessions.remove(id, session);
  }
}

function registryTerms(ceiling: number): RegistryTerms<CommandSession> {
  return {
    kind: 'command sessions',
    ceiling,
    hint: 'close some of them, or raise SVC_COMMAND_MAX_SESSIONS',
    describe: (sessionId, { createdAt, lastUsedAt }) => ({ sessionId, createdAt, lastUsedAt }),
    counts: ({ implicit }) => !implicit,
  };
}
