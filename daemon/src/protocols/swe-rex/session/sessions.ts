import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NamedLocks } from '@sandbox/api/named-locks.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { FilesPort } from '../../../core/ports/files-port.ts';
import type { TerminalsPort } from '../../../core/ports/terminals-port.ts';
import { Raised } from '../answers.ts';
import type { BashAction, InterruptAction } from '../bodies.ts';
import { BashSession, newToken, type Observation } from './bash-session.ts';
import type { Expect } from './expect.ts';
import { ENDED } from './reader.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

/** With another kind of terminal programs edit the line that they read, which a client takes for their output. */
const PLAIN = { TERM: 'dumb' };

interface CreateTerms {
  readonly session: string;
  readonly startup_source: readonly string[];
  readonly startup_timeout: number;
}

interface Parts {
  readonly terminals: TerminalsPort;
  readonly expect: Expect;
  readonly files: FilesPort;
  readonly store: SessionStore;
}

/** Shells by name. Calls of one session run one after another. */
export class Sessions {
  readonly #parts: Parts;
  readonly #turns = new NamedLocks();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @returns the output of the startup files. @throws Raised */
  create({ session: name, ...terms }: CreateTerms, gone: AbortSignal): Promise<string> {
    return this.#turns.hold(name, async () => {
      const { terminals, store } = this.#parts;
      const known = store.find(name);
      if (known && this.#isOpen(known)) throw new Raised('SessionExistsError', `session ${name} already exists`);
      if (known) await this.#forget(known);
      const directory = join(tmpdir(), `.swe-rex-${randomBytes(16).toString('hex')}`);
      await this.#parts.files.mkdir(directory, true, {});
      const size = { cols: 80, rows: 24 };
      const shell = { program: 'bash', args: ['--noediting', '-i'], env: PLAIN, cwd: undefined, user: undefined };
      const { id, pid } = await terminals.open({ ...shell, ...size });
      const record = { name, terminalId: id, directory, prompt: newToken(), at: 0 };
      try {
        store.put(record);
        if (pid === null) throw new Raised('SessionNotInitializedError', 'bash did not start');
        return await this.#with(record, gone, (bash) => bash.begin(terms.startup_source, terms.startup_timeout));
      } catch (error) {
        await this.#forget(record);
        throw error;
      }
    });
  }

  /** @throws Raised */
  run(action: BashAction | InterruptAction, gone: AbortSignal): Promise<Observation> {
    const act = () =>
      this.#with(this.#get(action.session), gone, (bash) =>
        action.action_type === 'bash' ? bash.run(action) : bash.interrupt(action),
      );
    return this.#turns.hold(action.session, act);
  }

  /** Ends what runs in it, also if a call waits for it. @throws Raised */
  async close(name: string): Promise<void> {
    const quoted = `session '${name}' does not exist`;
    const known = this.#parts.store.find(name);
    if (!known) throw new Raised('SessionDoesNotExistError', quoted);
    await this.#forget(known);
  }

  async closeAll(): Promise<void> {
    for (const record of this.#parts.store.list()) await this.#forget(record);
  }

  #get(name: string): SessionRecord {
    const known = this.#parts.store.find(name);
    if (!known) throw new Raised('SessionDoesNotExistError', `session '${name}' does not exist`);
    if (!this.#isOpen(known)) throw new Raised('SessionNotInitializedError', ENDED);
    return known;
  }

  #isOpen({ terminalId }: SessionRecord): boolean {
    return this.#parts.terminals.list().some(({ id, isOpen }) => isOpen && id === terminalId);
  }

  /** The next call begins where this one has ended, however it ends. */
  async #with<T>(record: SessionRecord, gone: AbortSignal, use: (bash: BashSession) => Promise<T>): Promise<T> {
    const { store } = this.#parts;
    const bash = new BashSession(this.#parts, record, gone);
    try {
      return await use(bash);
    } finally {
      if (store.find(record.name)?.terminalId === record.terminalId) store.put({ ...record, at: bash.at });
    }
  }

  async #forget({ name, terminalId, directory }: SessionRecord): Promise<void> {
    const { store, terminals, files } = this.#parts;
    try {
      store.remove(name);
    } finally {
      for (const end of [() => terminals.close(terminalId, 0), () => files.delete(directory, true)]) {
        await end().catch((error: unknown) => {
          if (!(error instanceof SandboxError)) throw error;
        });
      }
    }
  }
}
