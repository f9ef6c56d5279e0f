import type { Interpreter } from '../runtime/language-runtime.ts';

/** Where a cell runs: an interpreter for it alone, or the turn of a session. */
export interface Place {
  readonly sessionId: string | null;
  /**
   * Waits up to `ms` for the turn of the cell, and for its interpreter.
   * @throws SandboxError `capacity` if the turn does not come, `unavailable` if the interpreter does not start
   */
  take(ms: number, gone?: AbortSignal): Promise<void>;
  /** The interpreter, from now on for the execution of that id. Only after `take`. */
  begin(executionId: string): Interpreter;
  /** Gives the place up; called once, also where `take` failed. */
  leave(): Promise<void>;
}
