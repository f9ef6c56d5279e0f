import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Slots } from '@sandbox/api/wait.ts';
import type { Interpreter, InterpreterSpec, LanguageRuntime, SessionTable } from '../runtime/language-runtime.ts';
import type { SessionInfo } from './session-info.ts';

/** What a session is made of. */
export interface SessionTerms {
  readonly id: string;
  readonly runtime: LanguageRuntime;
  readonly spec: InterpreterSpec;
  readonly idleSeconds: number;
  readonly createdAt: Date;
  /** The caller knows the id: the session does not give way to others. */
  readonly isNamed: boolean;
}

/** An interpreter that keeps its state between cells. Cells run in the order in which they were asked for. */
export class Session {
  readonly id: string;
  readonly runtime: LanguageRuntime;
  readonly spec: InterpreterSpec;
  readonly idleSeconds: number;
  readonly createdAt: Date;
  isNamed: boolean;
  /** Id of the execution that runs now. */
  running: string | undefined;
  executionCount = 0;
  /** Of the cells. */
  readonly turns = new Slots(1);
  #usedAt: number;
  /** Of a clock that does not jump. */
  #usedTick = performance.now();
  #interpreter: Promise<Interpreter>;
  #pid = 0;
  #isClosed = false;

  constructor({ id, runtime, spec, idleSeconds, createdAt, isNamed }: SessionTerms, interpreter: Promise<Interpreter>) {
    this.id = id;
    this.runtime = runtime;
    this.spec = spec;
    this.idleSeconds = idleSeconds;
    this.createdAt = createdAt;
    this.isNamed = isNamed;
    this.#usedAt = Date.now();
    this.#interpreter = interpreter;
    this.#follow(interpreter);
  }

  get table(): SessionTable {
    return this.runtime.table;
  }

  /** Ready for a cell. @throws SandboxError where it did not start or was closed */
  get interpreter(): Promise<Interpreter> {
    if (this.#isClosed) return Promise.reject(closed(this.id));
    return this.#interpreter;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** A cell of an earlier daemon has the turn until `ending` settles. */
  async resume(executionId: string, ending: Promise<void>): Promise<void> {
    this.running = executionId;
    using _turn = await this.turns.take(new AbortController().signal);
    await ending;
    this.running = undefined;
    this.touch();
  }

  /** Milliseconds since the last use, whatever the wall clock does. */
  get idleMs(): number {
    return performance.now() - this.#usedTick;
  }

  touch(): void {
    this.#usedTick = performance.now();
    this.#usedAt = Date.now();
  }

  /**
   * Gives it another interpreter, which `open` starts once the one before it is there. A further call follows on that
   * of an earlier one, so that none is left behind.
   */
  replace(open: (before: Interpreter) => Promise<Interpreter>): void {
    const interpreter = this.#interpreter.then(open);
    this.#interpreter = interpreter;
    this.executionCount = 0;
    this.touch();
    this.#follow(interpreter);
  }

  /** Ends its processes; calls that wait for their turn are refused when it comes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const interpreter = await this.#interpreter.catch(() => undefined);
    await interpreter?.[Symbol.asyncDispose]();
  }

  info(): SessionInfo {
    const { language, variant, cwd, identity } = this.spec;
    return {
      sessionId: this.id,
      table: this.table,
      language,
      variant,
      cwd,
      user: identity.name,
      pid: this.#pid,
      state: this.running === undefined ? 'idle' : 'busy',
      createdAt: this.createdAt,
      lastUsedAt: new Date(this.#usedAt),
      idleSeconds: this.idleSeconds,
      executionCount: this.executionCount,
    };
  }

  #follow(interpreter: Promise<Interpreter>): void {
    interpreter.then(
      ({ process }) => {
        this.#pid = process.pid;
      },
      () => undefined,
    );
  }
}

function closed(id: string): SandboxError {
  return new SandboxError('conflict', `session ${id} was closed`, { hint: 'call again: a new session is made' });
}
