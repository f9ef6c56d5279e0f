import { ignoreNotFound, SandboxError } from '../core/errors.ts';
import { randomId } from '../core/random-id.ts';
import type { Transport } from '../core/transport.ts';
import { CellFailed, type CellOutput, type CellResult, imagesOf, outputOf, textOfResult } from './cell.ts';
import { type CellEnd, followCell } from './follow-cell.ts';
import { KeptOutputs } from './kept-outputs.ts';

const MAX_OUTPUT = 64 * 1024 * 1024;

export interface NotebookOptions {
  /** A session that exists is used; default: a new one. */
  readonly session?: string | undefined;
  /** Of the call that makes the session. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
}

export interface CellOptions {
  /** Seconds that the cell may run, at most 900; default 30. */
  readonly timeout?: number | undefined;
  /** Answers to `input()`, in their order. */
  readonly stdin?: readonly string[] | undefined;
  readonly onOutput?: ((output: CellOutput) => void | Promise<void>) | undefined;
  /** `false`: a cell that fails is a result, not an exception. */
  readonly check?: boolean | undefined;
  /** Characters of outputs that the result keeps, the last ones; default 64 Mi. `onOutput` gets all. */
  readonly maxOutput?: number | undefined;
  /** Ends the wait, not the cell. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

/** Cells of one session, which keeps its state. Disposed, the session ends. */
export class Notebook implements AsyncDisposable {
  readonly session: string;
  readonly #transport: Transport;
  readonly #body: Readonly<Record<string, unknown>>;

  constructor(transport: Transport, language: string, options: NotebookOptions) {
    const { session = randomId(), cwd, env, user = transport.settings.user } = options;
    this.#transport = transport;
    this.session = session;
    this.#body = { language, session_id: session, cwd, env, user };
  }

  /** Runs a cell once, also if the connection is cut. @throws CellFailed unless `check` is false */
  async run(code: string, options: CellOptions = {}): Promise<CellResult> {
    const { onOutput, check = true, maxOutput = MAX_OUTPUT } = options;
    const kept = new KeptOutputs(maxOutput);
    const { timeout, stdin, signal } = options;
    const json = { ...this.#body, code, timeout, stdin, idempotency_key: randomId() };
    let id = '';
    let end: CellEnd | undefined;
    for await (const line of followCell(this.#transport, json, signal)) {
      if (line.type === 'execution') id = line.execution_id;
      else if (line.type === 'result') end = line;
      else {
        const output = outputOf(line.output);
        kept.add(output);
        await onOutput?.(output);
      }
    }
    if (!end) throw new SandboxError('the stream of the cell has no end');
    const { status, stdout, stderr, message, execution_count: executionCount, warnings = [] } = end;
    const outputs = kept.all();
    const images = imagesOf(outputs);
    const result = {
      id,
      status,
      stdout,
      stderr,
      text: textOfResult(outputs),
      images,
      outputs,
      truncated: kept.isCut,
      executionCount,
      warnings,
    };
    if (check && status !== 'ok') throw new CellFailed(message, result);
    return result;
  }

  /** Asks the cell that runs to end, as Ctrl-C does. */
  async interrupt(options: Waiting = {}): Promise<void> {
    await this.#post('interrupt', options);
  }

  /** Loses the state. */
  async restart(options: Waiting = {}): Promise<void> {
    await this.#post('restart', options);
  }

  async close({ signal }: Waiting = {}): Promise<void> {
    await this.#transport.send(this.#path(), { method: 'DELETE', signal }).catch(ignoreNotFound);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #path(): string {
    return `/v2/code/sessions/${encodeURIComponent(this.session)}`;
  }

  async #post(action: string, { signal }: Waiting): Promise<void> {
    await this.#transport.send(`${this.#path()}/${action}`, { method: 'POST', signal });
  }
}
