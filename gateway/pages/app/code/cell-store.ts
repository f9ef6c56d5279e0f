import { call } from '../sandbox/api.ts';
import type { Cell, CellOutput, Execution } from './cell.ts';
import { followCell } from './follow-cell.ts';

/** Cells that the page keeps, and outputs of one: the newest. */
const CELLS_MAX = 200;
const OUTPUTS_MAX = 2000;
/** Seconds that a cell may run: the most that the service allows. */
const TIMEOUT_S = 900;

interface RunRequest {
  readonly language: string;
  readonly code: string;
  /** Undefined: a new session. */
  readonly sessionId: string | undefined;
}

/** The cells of this page: they are kept when another view is shown, until the page is loaded again. */
class CellStore {
  cells: readonly Cell[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #known = new Set<string>();

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts a cell. @returns its session */
  async run({ language, code, sessionId }: RunRequest): Promise<string | null> {
    const session = sessionId === undefined ? { stateful: true } : { session_id: sessionId };
    const body = { language, code, async: true, timeout: TIMEOUT_S, ...session };
    const execution = await call<Execution>('v2/code/execute', { method: 'POST', body });
    this.#add(execution, true);
    return execution.session_id;
  }

  /** Shows a cell of another client from now on. */
  async look(id: string): Promise<void> {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    try {
      const path = `v2/code/executions/${encodeURIComponent(id)}`;
      const { execution } = await call<{ execution: Execution }>(path, { query: { limit: 1 } });
      this.#add(execution, false);
    } catch {
      // It has ended and is forgotten; after a failure of the connection the next look tries again.
      this.#known.delete(id);
    }
  }

  /** Sends a line to `input()`. */
  async answer(id: string, text: string): Promise<void> {
    await call(`v2/code/executions/${encodeURIComponent(id)}/input`, { method: 'POST', body: { text } });
    this.#change(id, { prompt: undefined });
  }

  #add(execution: Execution, isOwn: boolean): void {
    const id = execution.execution_id;
    if (this.cells.some(({ execution_id: own }) => own === id)) return;
    this.#known.add(id);
    this.cells = [...this.cells, { ...execution, isOwn, outputs: [] }].slice(-CELLS_MAX);
    this.#tell();
    followCell(id, {
      onOutput: (output) => this.#output(id, output),
      onPrompt: (prompt) => this.#change(id, { prompt }),
      onEnd: ({ status, ended_at }) => this.#change(id, { status, ended_at, prompt: undefined }),
    }).catch((fault: unknown) => this.#change(id, { fault, status: 'lost', prompt: undefined }));
  }

  #output(id: string, output: CellOutput): void {
    const cell = this.cells.find(({ execution_id: own }) => own === id);
    if (cell && cell.outputs.length < OUTPUTS_MAX) this.#change(id, { outputs: [...cell.outputs, output] });
  }

  #change(id: string, change: Partial<Cell>): void {
    this.cells = this.cells.map((cell) => (cell.execution_id === id ? { ...cell, ...change } : cell));
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export const cellStore = new CellStore();
