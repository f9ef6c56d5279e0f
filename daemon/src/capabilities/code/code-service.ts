import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import type { Core } from '../../core/core.ts';
import type { BeforeChange } from '../../core/ports/before-change-port.ts';
import { recordRefused } from '../../core/records/runtime-space.ts';
import { noteCell, noteCellEnd, noteFoundCell } from './execution/cell-events.ts';
import { takesInput } from './execution/cell-input.ts';
import type { CellReport, CellRequest } from './execution/cell-report.ts';
import type { Execution } from './execution/execution.ts';
import type { ExecutionHead } from './execution/execution-head.ts';
import type { ExecutionStore } from './execution/execution-store.ts';
import type { CellProcess, JournalFile } from './execution/journal-file.ts';
import { executionIdOf, KeyedExecutions } from './execution/keyed-executions.ts';
import { superviseCell } from './execution/run-cell.ts';
import type { KernelRuntime } from './kernel/kernel-runtime.ts';
import type { OutsideRuntime } from './outside/outside-runtime.ts';
import type { OneOffs } from './run/one-offs.ts';
import type { Place } from './run/place.ts';
import type { InterpreterProcesses } from './runtime/interpreter-processes.ts';
import type { LanguageCatalogue, Served } from './runtime/language-catalogue.ts';
import type { Interpreter, LanguageInfo, SessionTable } from './runtime/language-runtime.ts';
import type { SessionInfo, SessionRequest } from './session/session-info.ts';
import type { SessionService } from './session/session-service.ts';

/** What the service is made of. */
export interface CodeParts {
  readonly catalogue: LanguageCatalogue;
  readonly sessions: SessionService;
  readonly oneOffs: OneOffs;
  readonly executions: ExecutionStore;
  readonly processes: InterpreterProcesses;
  readonly kernels: KernelRuntime;
  /** Of SVC_JUPYTER_ENDPOINT. */
  readonly outside: OutsideRuntime | undefined;
  readonly backend: string;
  /** What happens before each cell. */
  readonly before?: BeforeChange;
}

/** Runs code. A cell has an execution from its begin on; what is wrong before that is an error of the call. */
export class CodeService implements AsyncDisposable {
  readonly sessions: SessionService;
  readonly executions: ExecutionStore;
  readonly #core: Core;
  readonly #parts: CodeParts;
  readonly #keyed: KeyedExecutions;
  readonly #running = new Set<Promise<void>>();
  /** Executions that have an id and wait for their turn. */
  readonly #waiting = new Map<string, AbortController>();

  constructor(core: Core, parts: CodeParts) {
    this.#core = core;
    this.#parts = parts;
    this.sessions = parts.sessions;
    this.executions = parts.executions;
    this.#keyed = new KeyedExecutions(parts.executions);
  }

  /** A directory that a call names, as a shell of the account resolves it. @throws SandboxError `invalid` */
  resolve({ cwd, user }: Pick<CellRequest, 'cwd' | 'user'>): string | undefined {
    return cwd === undefined ? undefined : this.#parts.processes.runContext.paths.resolve(cwd, { user });
  }

  /** As `begin`, and waits for the end. */
  async execute(request: CellRequest, gone?: AbortSignal): Promise<CellReport> {
    const execution = await this.begin(request, gone);
    await execution.ended;
    return execution.report();
  }

  /**
   * Waits for the turn of the cell, at most its timeout, and starts it, without a wait for its end.
   * @param gone ends that wait; not of a request with an idempotency key, whose execution other calls wait for too
   * @throws SandboxError `unprocessable`, `invalid`, `capacity` if its turn does not come, `unavailable`, `conflict` of a key
   */
  async begin(request: CellRequest, gone?: AbortSignal): Promise<Execution> {
    const isKeyed = request.idempotencyKey !== undefined;
    return await this.#keyed.once(request, () => this.#begin(request, isKeyed ? undefined : gone));
  }

  /** Returns an execution at once; what `begin` would throw while the cell waits for its turn is its end. */
  async beginLater(request: CellRequest): Promise<Execution> {
    return await this.#keyed.once(request, () => this.#beginLater(request));
  }

  async #begin(request: CellRequest, gone: AbortSignal | undefined): Promise<Execution> {
    this.#core.runtime.space.requireRoom({ isOutputNeeded: true });
    const served = await this.#parts.catalogue.resolve(request);
    const place = await this.#placeInTurn(request, served, gone);
    try {
      await place.take(request.timeoutSeconds * 1000, gone);
      await this.#before(request);
    } catch (error) {
      await place.leave();
      throw error;
    }
    const head = headOf(request, served, place, this.#core.clock);
    const interpreter = place.begin(head.id);
    const { execution } = await this.#record(head, place, interpreter.process);
    this.#supervise(execution, interpreter, request, place);
    return execution;
  }

  async #beginLater(request: CellRequest): Promise<Execution> {
    this.#core.runtime.space.requireRoom({ isOutputNeeded: true });
    const served = await this.#parts.catalogue.resolve(request);
    const place = this.#placeFor(request, served);
    const { execution, journal } = await this.#record(headOf(request, served, place, this.#core.clock), place);
    this.#beginInTurn(execution, journal, request, place).catch((error: unknown) =>
      this.#core.logger.error({ err: error }, 'a cell could not be ended before its begin'),
    );
    return execution;
  }

  /** Asks the cell to end, as Ctrl-C does, or not to begin; answers whether it ran or waited. @throws SandboxError `not_found` */
  async interruptExecution(id: string): Promise<boolean> {
    const execution = this.executions.get(id);
    if (!execution.isRunning) return false;
    const waiting = this.#waiting.get(id);
    waiting?.abort();
    if (waiting) return true;
    return (await this.sessions.interruptCell(id)) || (await this.#parts.oneOffs.interrupt(id));
  }

  /** Answers the prompt that waits. @throws SandboxError `not_found`, `conflict` if no prompt waits */
  answerInput(executionId: string, text: string): void {
    this.executions.get(executionId).input.answer(text);
  }

  /** What runs Python. */
  get backend(): string {
    return this.#parts.backend;
  }

  /** Names of all kernels, the default Python first. */
  async kernelNames(): Promise<string[]> {
    const kernels = await this.#parts.kernels.finder.kernels();
    return kernels.map(({ name }) => name);
  }

  /** Whether a Jupyter server elsewhere serves calls that ask for it. */
  get hasOutside(): boolean {
    return this.#parts.outside !== undefined;
  }

  /** As `kernelNames`, of what serves the routes of Jupyter. @throws SandboxError `unavailable` */
  jupyterKernelNames(): Promise<string[]> {
    return this.#parts.outside?.kernelNames() ?? this.kernelNames();
  }

  /** @throws SandboxError `unsupported` without ipykernel, if no server elsewhere serves */
  async requireKernels(): Promise<void> {
    if (this.hasOutside || (await this.#parts.kernels.finder.pythons()).length > 0) return;
    throw new SandboxError('unsupported', 'no Python on PATH has ipykernel', {
      hint: 'pip install ipykernel, or apt-get install python3-ipykernel',
    });
  }

  languages(): Promise<readonly (LanguageInfo & { readonly table: SessionTable })[]> {
    return this.#parts.catalogue.languages();
  }

  async createSession(request: SessionRequest): Promise<{ session: SessionInfo; created: boolean }> {
    this.#core.runtime.space.requireRoom({ isOutputNeeded: true });
    return this.sessions.create(request, await this.#parts.catalogue.resolve(request));
  }

  listSessions(table?: SessionTable): SessionInfo[] {
    return this.sessions.list(table);
  }

  getSession(id: string, table?: SessionTable): SessionInfo {
    return this.sessions.get(id, table).info();
  }

  deleteSession(id: string, table?: SessionTable): Promise<boolean> {
    return this.sessions.delete(id, table);
  }

  limits(table: SessionTable): { readonly maxSessions: number; readonly idleSeconds: number } {
    return this.sessions.limits(table);
  }

  /** Continues to follow a cell that an earlier daemon started. */
  follow(execution: Execution, ending: Promise<void>): void {
    const { startedAt, startedTick } = execution.head;
    const held = this.#core.activity.hold('cell', execution.id, { at: startedAt, tick: startedTick });
    noteFoundCell(this.#core.recorder, execution.head);
    this.#track(this.#recorded(execution, ending).finally(() => held[Symbol.dispose]()));
  }

  /** Ends all sessions and the cells that run. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.sessions[Symbol.asyncDispose]();
    await this.#parts.oneOffs[Symbol.asyncDispose]();
    await waitFor(Promise.all(this.#running), { ms: 5000 });
    await this.#parts.catalogue[Symbol.asyncDispose]();
    this.executions[Symbol.dispose]();
    this.#parts.processes[Symbol.dispose]();
  }

  /** The file of a cell, without which it does not begin. @throws SandboxError `disk_full`, `unavailable` */
  async #record(
    head: ExecutionHead,
    place: Place,
    process?: CellProcess,
  ): Promise<ReturnType<ExecutionStore['create']>> {
    try {
      return this.executions.create(head, process);
    } catch (error) {
      await place.leave();
      throw recordRefused(error, this.#core.runtime.path);
    }
  }

  /** What prevents the begin is the end of the execution. */
  async #beginInTurn(execution: Execution, journal: JournalFile, request: CellRequest, place: Place): Promise<void> {
    try {
      await this.#takeTurn(execution, place, request);
      const interpreter = place.begin(execution.id);
      this.#recordProcess(journal, interpreter.process);
      this.#supervise(execution, interpreter, request, place);
    } catch (error) {
      try {
        await place.leave();
      } finally {
        refuse(execution, error, this.#core);
      }
    }
  }

  /** @throws SandboxError `disk_full`, `unavailable` */
  #recordProcess(journal: JournalFile, process: CellProcess): void {
    try {
      journal.process(process);
    } catch (error) {
      throw recordRefused(error, this.#core.runtime.path);
    }
  }

  /** @throws NotBegun if it was interrupted meanwhile, else as `Place.take` */
  async #takeTurn({ id }: Execution, place: Place, request: CellRequest): Promise<void> {
    const waiting = new AbortController();
    this.#waiting.set(id, waiting);
    try {
      await place.take(request.timeoutSeconds * 1000, waiting.signal);
      await this.#before(request);
    } catch (error) {
      throw waiting.signal.aborted ? new NotBegun() : error;
    } finally {
      this.#waiting.delete(id);
    }
    if (waiting.signal.aborted) throw new NotBegun();
  }

  async #before({ user }: CellRequest): Promise<void> {
    await this.#parts.before?.({ what: 'a cell', user });
  }

  async #placeInTurn(request: CellRequest, served: Served, gone?: AbortSignal): Promise<Place> {
    if (isOfSession(request)) return await this.sessions.placeInTurn(request, served, gone);
    return this.#parts.oneOffs.placeFor(request, served);
  }

  #placeFor(request: CellRequest, served: Served): Place {
    if (isOfSession(request)) return this.sessions.placeFor(request, served);
    return this.#parts.oneOffs.placeFor(request, served);
  }

  #supervise(execution: Execution, interpreter: Interpreter, request: CellRequest, place: Place): void {
    const held = this.#core.activity.hold('cell', execution.id);
    const { id, head } = execution;
    noteCell(this.#core.recorder, head);
    const { code, files, preparation } = request;
    const isLast = place.sessionId === null;
    const cell = { id, language: head.language, code, files, preparation, isLast, takesInput: takesInput(head) };
    execution.input.bind((text) => interpreter.answer?.(text));
    const running = interpreter.run(cell, execution);
    const timeoutMs = request.timeoutSeconds * 1000;
    const ending = superviseCell(interpreter, running, execution, timeoutMs);
    this.#track(this.#toEnd(this.#recorded(execution, ending), place, held));
  }

  async #recorded(execution: Execution, ending: Promise<void>): Promise<void> {
    await ending;
    noteCellEnd(this.#core.recorder, execution);
  }

  async #toEnd(ending: Promise<void>, place: Place, held: Disposable): Promise<void> {
    await ending;
    held[Symbol.dispose]();
    this.#core.activity.note('cell');
    await place.leave();
  }

  #track(ending: Promise<void>): void {
    this.#running.add(ending);
    ending
      .catch((error: unknown) => this.#core.logger.error({ err: error }, 'a cell could not be followed to its end'))
      .finally(() => this.#running.delete(ending));
  }
}

function isOfSession({ sessionId, stateful }: CellRequest): boolean {
  return sessionId !== undefined || stateful === true;
}

const NO_STDIN = 'stdin answers prompts of Python and of Jupyter kernels: it was not used';

function headOf(request: CellRequest, served: Served, place: Place, clock: Core['clock']): ExecutionHead {
  const { at, tick } = clock.moment();
  const { language, variant, warnings, runtime } = served;
  return {
    id: request.idempotencyKey === undefined ? randomUUID() : executionIdOf(request.idempotencyKey),
    table: runtime.table,
    language,
    variant,
    code: request.code,
    sessionId: place.sessionId,
    warnings: request.stdin && runtime.table !== 'kernel' ? [...warnings, NO_STDIN] : warnings,
    startedAt: at,
    startedTick: tick,
    timeoutSeconds: request.timeoutSeconds,
    stdin: request.stdin,
    isInteractive: request.isInteractive,
  };
}

/** The cell was interrupted before its turn came. */
class NotBegun extends Error {
  override readonly message = 'the cell was interrupted before it began';
}

function refuse(execution: Execution, error: unknown, core: Core): void {
  const ename = error instanceof NotBegun ? 'Interrupted' : 'NotStarted';
  const isKnown = error instanceof SandboxError || error instanceof NotBegun;
  if (!isKnown) core.logger.error({ err: error }, 'unexpected error before a cell');
  const evalue = isKnown ? error.message : 'internal error';
  execution.write({ type: 'error', ename, evalue, traceback: [`${ename}: ${evalue}`] });
  execution.finish({ status: 'error', executionCount: null, exitCode: null, signal: null, oomKilled: null });
  noteCellEnd(core.recorder, execution);
}
