import type { TimelineEvent } from '../query/event-filter.ts';

/** Changed files that a state names, the newest ones. */
const FILES_MAX = 200;

type Fields = Readonly<Record<string, unknown>>;

/** What ran and was open at one moment, by the events until then, in the names of the API. */
export interface SandboxState {
  /** No event is missing since the begin of the timeline, as far as the timeline knows. */
  readonly isWhole: boolean;
  readonly commands: readonly Fields[];
  readonly terminals: readonly Fields[];
  readonly cells: readonly Fields[];
  /** The last change of each, the newest last. */
  readonly files: readonly Fields[];
  readonly fileCount: number;
}

export const EMPTY: SandboxState = { isWhole: true, commands: [], terminals: [], cells: [], files: [], fileCount: 0 };

/** Follows the events in their order. */
export class StateTracker {
  #isWhole: boolean;
  readonly #commands: Map<string, Fields>;
  readonly #terminals: Map<string, Fields>;
  readonly #cells: Map<string, Fields>;
  readonly #files: Map<string, Fields>;
  #fileCount: number;

  constructor({ isWhole, commands, terminals, cells, files, fileCount }: SandboxState) {
    this.#isWhole = isWhole;
    this.#commands = byName(commands, 'command_id');
    this.#terminals = byName(terminals, 'session_id');
    this.#cells = byName(cells, 'execution_id');
    this.#files = byName(files, 'path');
    this.#fileCount = fileCount;
  }

  get state(): SandboxState {
    return {
      isWhole: this.#isWhole,
      commands: [...this.#commands.values()],
      terminals: [...this.#terminals.values()],
      cells: [...this.#cells.values()],
      files: [...this.#files.values()],
      fileCount: this.#fileCount,
    };
  }

  apply(event: TimelineEvent): void {
    const [family] = event.kind.split('.');
    if (family === 'command') this.#command(event);
    else if (family === 'terminal') this.#terminal(event);
    else if (family === 'cell') this.#cell(event);
    else if (family === 'file') this.#file(event);
    else this.#service(event);
  }

  #command({ kind, seq, refs, data }: TimelineEvent): void {
    const { command_id: id = '' } = refs;
    const known = this.#commands.get(id);
    if (kind === 'command.begun' || kind === 'command.found') {
      const { command = '' } = data;
      const session_id = refs['session_id'] ?? null;
      this.#commands.set(id, { command_id: id, session_id, command, since_seq: seq, stdin_bytes: 0 });
    } else if (kind === 'command.ended') this.#commands.delete(id);
    else if (kind === 'command.input' && known) this.#commands.set(id, { ...known, stdin_bytes: data['to'] });
  }

  #terminal({ kind, seq, refs, data }: TimelineEvent): void {
    const { session_id: id = '' } = refs;
    const known = this.#terminals.get(id);
    const change = (fields: Fields): void => void (known && this.#terminals.set(id, { ...known, ...fields }));
    switch (kind) {
      case 'terminal.opened':
      case 'terminal.found': {
        const { cols = 0, rows = 0, output_bytes = 0 } = data;
        this.#terminals.set(id, { session_id: id, cols, rows, since_seq: seq, output_bytes, executes: null });
        return;
      }
      case 'terminal.output':
        change({ output_bytes: data['to'] });
        return;
      case 'terminal.resized':
        change({ cols: data['cols'], rows: data['rows'] });
        return;
      case 'terminal.exec':
        change({ executes: data['command'] });
        return;
      case 'terminal.exec_ended':
        change({ executes: null });
        return;
      case 'terminal.ended':
        this.#terminals.delete(id);
        return;
      default:
    }
  }

  #cell({ kind, seq, refs, data }: TimelineEvent): void {
    const { execution_id: id = '' } = refs;
    if (kind === 'cell.ended') this.#cells.delete(id);
    else {
      const { language = '', code = '' } = data;
      this.#cells.set(id, { execution_id: id, session_id: refs['session_id'] ?? null, language, code, since_seq: seq });
    }
  }

  #file({ kind, seq, refs, data }: TimelineEvent): void {
    const { path = '' } = refs;
    this.#changed(path, { path, kind, seq, etag: data['etag'] ?? null });
    const { destination } = data;
    if (typeof destination === 'string') this.#changed(destination, { path: destination, kind, seq, etag: null });
  }

  #changed(path: string, change: Fields): void {
    this.#fileCount += 1;
    this.#files.delete(path);
    this.#files.set(path, change);
    const [oldest] = this.#files.keys();
    if (this.#files.size > FILES_MAX) this.#files.delete(oldest ?? '');
  }

  #service({ kind, data }: TimelineEvent): void {
    if (kind === 'sandbox.claimed') this.#isWhole = true;
    if (kind === 'dropped' || (kind === 'daemon.started' && data['gap'] === true)) this.#isWhole = false;
    if (kind !== 'daemon.started') return;
    // What survived the daemon of before is found again by events of its own.
    this.#commands.clear();
    this.#terminals.clear();
    this.#cells.clear();
  }
}

function byName(entries: readonly Fields[], name: string): Map<string, Fields> {
  return new Map(entries.map((entry) => [String(entry[name]), entry]));
}
