import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Slots } from '@sandbox/api/wait.ts';
import type { AgeClock, Moment } from '../../../core/clock/age-clock.ts';
import type { Interpreter, InterpreterSpec, LanguageRuntime, SessionTable } from '../runtime/language-runtime.ts';
import type { SessionInfo } from './session-info.ts';

/** What a session is made of. */
export interface SessionTerms {
  readonly id: string;
  readonly runtime: LanguageRuntime;
  readonly spec: InterpreterSpec;
  readonly idleSeconds: number;
  readonly createdAt: Date;
  /** The same moment by `clock`. */
  readonly createdTick: number;
  readonly clock: AgeClock;
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
  readonly createdTick: number;
  isNamed: boolean;
  /** Id of the execution that runs now. */
  running: string | undefined;
  executionCount = 0;
  /** Of the cells. */
  readonly turns = new Slots(1);
  readonly #clock: AgeClock;
  #used: Moment;
  #interpreter: Promise<Interpreter>;
  #pid = 0;
  #isClosed = false;

  constructor(terms: SessionTerms, interpreter: Promise<Interpreter>) {
    const { id, runtime, spec, idleSeconds, createdAt, createdTick, clock, isNamed } = terms;
    this.id = id;
    this.runtime = runtime;
    this.spec = spec;
    this.idleSeconds = idleSeconds;
    this.createdAt = createdAt;
    this.createdTick = createdTick;
    this.isNamed = isNamed;
    this.#clock = clock;
    this.#used = clock.moment();
    this.#interpreter = interpreter;
    this.#follow(interpreter);
  }

  get table(): SessionTable {
    return this.runtime.table;
  }

  /** Ready for a cell. @throws SandboxError if it did not start or was closed */
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

  /** Milliseconds since the last use. */
  get idleMs(): number {
    return this.#clock.since(this.#used.tick);
  }

  touch(): void {
    this.#used = this.#clock.moment();
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
      lastUsedAt: this.#used.at,
      ageMs: this.#clock.since(this.createdTick),
      unusedMs: this.idleMs,
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
