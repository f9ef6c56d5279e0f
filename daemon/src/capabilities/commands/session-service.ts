import type { Core } from '../../core/core.ts';
import { endCommands, KILL_GRACE_MS } from './run/command-end.ts';
import type { Launcher } from './run/launcher.ts';
import type { CommandStore } from './store/command-store.ts';
import type { CommandSession, SessionTerms } from './store/sessions.ts';

/** A session, with what follows from its account and its commands. */
export interface SessionView {
  readonly session: Readonly<CommandSession>;
  /** Where its commands begin. */
  readonly workingDir: string;
  /** The text of its newest running command. */
  readonly currentCommand: string | null;
}

/** The sessions of commands. */
export class SessionService {
  readonly #core: Core;
  readonly #store: CommandStore;
  readonly #launcher: Launcher;

  constructor(core: Core, store: CommandStore, launcher: Launcher) {
    this.#core = core;
    this.#store = store;
    this.#launcher = launcher;
  }

  /** @throws SandboxError `invalid` or `forbidden` naming the field, `conflict` if the id is taken, `capacity` */
  create(terms: SessionTerms): SessionView {
    if (terms.cwd !== undefined) this.#launcher.requireDirectory(terms.cwd);
    if (terms.user !== undefined) this.#launcher.identityOf(terms.user);
    this.#launcher.requireEnvironment(terms.env ?? {}, terms.user);
    return this.#view(this.#store.createSession(terms));
  }

  /**
   * The session of that id, which `cwd` moves if it is given; a new one with `env` if none exists.
   * @throws SandboxError `invalid` naming the field, `capacity`
   */
  ensure(terms: Pick<SessionTerms, 'id' | 'cwd' | 'env'>): SessionView {
    const found = terms.id === undefined ? undefined : this.#store.sessions.find(terms.id);
    if (found === undefined) return this.create(terms);
    if (terms.cwd !== undefined) {
      found.cwd = this.#launcher.requireDirectory(terms.cwd);
      this.#store.saveSession(found);
    }
    return this.#view(found);
  }

  /**
   * The directory that a call names, as a shell in its session resolves it.
   * @throws SandboxError `invalid` if an account does not exist
   */
  resolve({ cwd, id, user }: Pick<SessionTerms, 'cwd' | 'id' | 'user'>): string | undefined {
    if (cwd === undefined) return undefined;
    const session = id === undefined ? undefined : this.#store.sessions.find(id);
    return this.#launcher.resolve(cwd, user ?? session?.user ?? undefined, session?.cwd ?? undefined);
  }

  /** @throws SandboxError `not_found` */
  get(id: string): SessionView {
    return this.#view(this.#store.sessions.get(id));
  }

  list(): SessionView[] {
    return this.#store.sessions.list().map((session) => this.#view(session));
  }

  /** Ends every process of the session's commands: SIGTERM, 2 s later SIGKILL. @throws SandboxError `not_found` */
  async close(id: string): Promise<SessionView> {
    const session = this.#store.sessions.get(id);
    this.#store.removeSession(id);
    await endCommands(this.#core, this.#store.ofSession(id), KILL_GRACE_MS);
    return this.#view(session);
  }

  #view(session: CommandSession): SessionView {
    return {
      session,
      workingDir: this.#launcher.directory(session.cwd ?? undefined, session.user ?? undefined),
      currentCommand: this.#store.newestRunning(session.id)?.record.command ?? null,
    };
  }
}
