import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { CommandsPort, ProgramState } from '../../../core/ports/commands-port.ts';
import type { TerminalState, TerminalsPort } from '../../../core/ports/terminals-port.ts';
import type { Read } from '../../../http/rpc/wire-types.ts';
import type { SandboxRecord } from '../state/sandboxes.ts';
import type { Started, StartedRecord } from '../state/started.ts';
import type { ProcessSelector } from '../wire/process.ts';

export type Selector = Read<typeof ProcessSelector>['selector'];

/** A command or a terminal, with what a client asked of it. */
export type Program = { readonly record: StartedRecord | undefined } & (
  | { readonly kind: 'command'; readonly state: ProgramState }
  | { readonly kind: 'terminal'; readonly state: TerminalState }
);

/** Milliseconds between SIGHUP and SIGKILL for a terminal that is killed at once. */
const NOW_MS = 0;

/** What runs in the sandbox, by process id and tag; in the shared mode only what was started with its id. */
export class Programs {
  readonly commands: CommandsPort;
  readonly terminals: TerminalsPort;
  readonly #started: Started;
  readonly #isShared: boolean;

  constructor(
    ports: { readonly commands: CommandsPort; readonly terminals: TerminalsPort },
    started: Started,
    isShared: boolean,
  ) {
    this.commands = ports.commands;
    this.terminals = ports.terminals;
    this.#started = started;
    this.#isShared = isShared;
  }

  /** What runs, newest first. */
  running(sandbox: SandboxRecord | undefined): Program[] {
    return this.#all(sandbox).filter(isRunning);
  }

  /** What runs, else the newest command that has ended. @throws SandboxError `not_found` */
  find(selector: Selector | undefined, sandbox: SandboxRecord | undefined): Program {
    const matching = this.#all(sandbox).filter((program) => isSelected(program, selector));
    const found = matching.find(isRunning) ?? matching[0];
    if (found) return found;
    throw new SandboxError('not_found', `process with ${shownSelector(selector)} not found`);
  }

  /** As `find`. @throws SandboxError `not_found` also if it has ended */
  findRunning(selector: Selector | undefined, sandbox: SandboxRecord | undefined): Program {
    const found = this.find(selector, sandbox);
    if (isRunning(found)) return found;
    throw new SandboxError('not_found', `process with ${shownSelector(selector)} not found: it has ended`);
  }

  /** @throws SandboxError `disk_full`, `unavailable`; the program ends then */
  async note(record: StartedRecord): Promise<void> {
    const terminals = new Set(this.terminals.list().map(({ id }) => id));
    try {
      this.#started.add(record, (id) => terminals.has(id) || this.commands.find(id) !== undefined);
    } catch (error) {
      await this.#endAll([record]);
      throw error;
    }
  }

  async end({ kind, state: { id } }: Program, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (kind === 'command') await this.commands.signal(id, signal);
    else await this.terminals.close(id, signal === 'SIGKILL' ? NOW_MS : undefined);
  }

  /** Ends what was started with the id of the sandbox. */
  async endAllOf(sandbox: SandboxRecord): Promise<void> {
    await this.#endAll(this.#started.ofSandbox(sandbox.id));
  }

  /** Ends what a daemon before this one has left of sandboxes that ended. */
  async endOrphans(isAlive: (sandboxId: string) => boolean): Promise<void> {
    await this.#endAll(this.#started.orphans(isAlive));
  }

  async #endAll(records: readonly StartedRecord[]): Promise<void> {
    const own = new Set(records.map(({ id }) => id));
    const running = this.#all(undefined).filter((program) => own.has(program.state.id) && isRunning(program));
    await Promise.allSettled(running.map((program) => this.end(program, 'SIGKILL')));
  }

  #all(sandbox: SandboxRecord | undefined): Program[] {
    const commands = this.commands.list().map((state) => {
      return { kind: 'command' as const, state, record: this.#started.find(state.id) };
    });
    const terminals = this.terminals.list().map((state) => {
      return { kind: 'terminal' as const, state, record: this.#started.find(state.id) };
    });
    const all = [...commands, ...terminals];
    if (!this.#isShared || sandbox === undefined) return all;
    return all.filter(({ record }) => record?.sandboxId === sandbox.id);
  }
}

function isRunning(program: Program): boolean {
  return program.kind === 'command' ? program.state.isRunning : program.state.isOpen && program.state.pid !== null;
}

function isSelected({ state, record }: Program, selector: Selector | undefined): boolean {
  if (selector?.case === 'pid') return state.pid === selector.value;
  if (selector?.case === 'tag') return record?.tag === selector.value || state.id === selector.value;
  throw new SandboxError('invalid', 'the selector of the process is missing: give a pid or a tag');
}

function shownSelector(selector: Selector | undefined): string {
  return selector?.case === undefined ? 'no selector' : `${selector.case} ${selector.value}`;
}
