import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Slots } from '@sandbox/api/wait.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import type { CellRequest } from '../execution/cell-report.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type { Served } from '../runtime/language-catalogue.ts';
import type { Interpreter } from '../runtime/language-runtime.ts';
import type { Place } from './place.ts';
import type { Prewarmed } from './prewarmed.ts';
import { specFor } from './spec-for.ts';
import { takeTurn } from './turn.ts';

/** Cells without a session that run at once; further ones wait. */
export const ONE_OFFS = 8;

/** Runs each cell in an interpreter that is discarded afterwards. */
export class OneOffs implements AsyncDisposable {
  readonly #processes: InterpreterProcesses;
  readonly #prewarmed: Prewarmed;
  readonly #logger: Logger;
  readonly #slots = new Slots(ONE_OFFS);
  readonly #running = new Map<string, Interpreter>();
  #isClosed = false;

  constructor(processes: InterpreterProcesses, prewarmed: Prewarmed, logger: Logger) {
    this.#processes = processes;
    this.#prewarmed = prewarmed;
    this.#logger = logger;
  }

  /** @throws SandboxError `invalid`, `forbidden` for account or directory */
  placeFor(request: CellRequest, served: Served): Place {
    const { spec, release } = specFor(request, served, this.#processes);
    let slot: Disposable | undefined;
    let interpreter: Interpreter | undefined;
    let running = '';
    return {
      sessionId: null,
      take: async (ms, gone) => {
        slot = await takeTurn(this.#slots, { ms }, gone, () => this.#full());
        if (this.#isClosed) throw new SandboxError('unavailable', 'the service stops');
        interpreter = await this.#prewarmed.open(served.runtime, { ...spec, isOneOff: true });
      },
      begin: (executionId) => {
        if (interpreter === undefined) throw new Error('no interpreter was taken');
        running = executionId;
        this.#running.set(executionId, interpreter);
        return interpreter;
      },
      leave: async () => {
        this.#running.delete(running);
        try {
          await interpreter?.[Symbol.asyncDispose]();
        } finally {
          // Exit handlers may take seconds: interpreters that end are bounded as those that run are.
          slot?.[Symbol.dispose]();
        }
        await release();
      },
    };
  }

  /** Returns whether the execution runs here. */
  async interrupt(executionId: string): Promise<boolean> {
    const interpreter = this.#running.get(executionId);
    await interpreter?.interrupt();
    return interpreter !== undefined;
  }

  /** One that an earlier daemon started, until `ending` settles. */
  restore(executionId: string, interpreter: Interpreter, ending: Promise<void>): void {
    this.#running.set(executionId, interpreter);
    ending
      .finally(() => {
        this.#running.delete(executionId);
        return interpreter[Symbol.asyncDispose]();
      })
      .catch((error: unknown) => this.#logger.error({ err: error }, 'an interpreter could not be ended'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running.values()].map((interpreter) => interpreter[Symbol.asyncDispose]()));
    await this.#prewarmed[Symbol.asyncDispose]();
  }

  #full(): { what: string; holders: object[] } {
    const holders = [...this.#running.keys()].map((executionId) => ({ executionId }));
    return { what: `${ONE_OFFS} cells without a session run`, holders };
  }
}
