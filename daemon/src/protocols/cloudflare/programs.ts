import { NamedLocks } from '@sandbox/api/named-locks.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { CommandsPort, ProgramState } from '../../core/ports/commands-port.ts';
import type { TerminalState, TerminalsPort } from '../../core/ports/terminals-port.ts';
import type { SandboxRecord, SessionRecord, StartedRecord, State } from './state.ts';

type CommandTerms = Parameters<CommandsPort['start']>[0];
type TerminalTerms = Parameters<TerminalsPort['open']>[0];

/** Whose command or terminal it is. */
export interface Owner {
  readonly sandbox: SandboxRecord;
  readonly session: SessionRecord | undefined;
}

/** What runs in a sandbox, started and ended with its id. */
export class Programs {
  readonly commands: CommandsPort;
  readonly terminals: TerminalsPort;
  /** By the directory of a session: who looks for its terminal. */
  readonly openings = new NamedLocks();
  readonly #state: State;

  constructor(ports: { readonly commands: CommandsPort; readonly terminals: TerminalsPort }, state: State) {
    this.commands = ports.commands;
    this.terminals = ports.terminals;
    this.#state = state;
  }

  /** @throws SandboxError `unavailable` if sandbox or session have ended meanwhile, `disk_full`; the command ends then */
  async start(owner: Owner, terms: CommandTerms, gone: AbortSignal): Promise<ProgramState> {
    const state = await this.commands.start(terms, gone);
    await this.#note(owner, state.id);
    return state;
  }

  /** As `start`. */
  async open(owner: Owner, terms: TerminalTerms): Promise<TerminalState> {
    const state = await this.terminals.open(terms);
    await this.#note(owner, state.id);
    return state;
  }

  async endSandbox({ id }: SandboxRecord): Promise<void> {
    await this.#end(({ sandboxId }) => sandboxId === id);
  }

  async endSession(session: SessionRecord): Promise<void> {
    await this.#end(({ sandboxId, sessionId }) => sandboxId === session.sandboxId && sessionId === session.id);
  }

  /** Ends what a daemon before this one has left of sandboxes that ended. */
  async endOrphans(): Promise<void> {
    await this.#end((record) => !this.#belongs(record));
  }

  async #note({ sandbox, session }: Owner, id: string): Promise<void> {
    const record = { id, sandboxId: sandbox.id, life: sandbox.life, sessionId: session?.id ?? null };
    const terminals = new Set(this.terminals.list().map((terminal) => terminal.id));
    try {
      this.#state.note(record, (known) => terminals.has(known) || this.commands.find(known) !== undefined);
    } catch (error) {
      await this.#endAll([id]);
      throw error;
    }
    if (this.#belongs(record)) return;
    await this.#endAll([id]);
    throw new SandboxError(
      'unavailable',
      `${session ? `session ${session.id}` : `sandbox ${sandbox.id}`} was deleted meanwhile`,
    );
  }

  #belongs({ sandboxId, life, sessionId }: StartedRecord): boolean {
    const sandbox = this.#state.find(sandboxId);
    if (!sandbox?.isAlive || sandbox.life !== life) return false;
    return sessionId === null || this.#state.sessionsOf(sandboxId).some(({ id }) => id === sessionId);
  }

  async #end(isEnded: (record: StartedRecord) => boolean): Promise<void> {
    await this.#endAll(this.#state.started.filter(isEnded).map(({ id }) => id));
  }

  async #endAll(started: readonly string[]): Promise<void> {
    const ids = new Set(started);
    const commands = [...ids].filter((id) => this.commands.find(id)?.isRunning);
    const terminals = this.terminals.list().filter(({ id, isOpen }) => isOpen && ids.has(id));
    await Promise.allSettled([
      ...commands.map((id) => this.commands.signal(id, 'SIGKILL')),
      ...terminals.map(({ id }) => this.terminals.close(id, 0)),
    ]);
  }
}
