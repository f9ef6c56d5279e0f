import { definePort } from './port.ts';

interface CodeSession {
  readonly sessionId: string;
  readonly language: string;
  readonly cwd: string;
}

export interface CellTerms {
  readonly code: string;
  readonly language: string;
  readonly sessionId: string;
  readonly timeoutSeconds: number;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** Code that a Jupyter kernel runs once, before the first cell that names it, without an output or a count. */
  readonly preparation?: string | undefined;
}

/** An output of a cell, as a notebook has it. */
export type CellOutput =
  | { readonly type: 'stream'; readonly name: 'stdout' | 'stderr'; readonly text: string }
  | {
      readonly type: 'result';
      readonly data: Readonly<Record<string, unknown>>;
      /** It is the value of the last expression. */
      readonly isMain: boolean;
    }
  | { readonly type: 'error'; readonly name: string; readonly value: string; readonly traceback: readonly string[] };

/** A cell that was begun. */
export interface RunningCell {
  readonly id: string;
  /** Its outputs as they arrive, until its end; fewer if the signal fires. */
  outputs(gone: AbortSignal): AsyncGenerator<CellOutput>;
  /** Of the session, once it has ended. */
  readonly executionCount: number | null;
  interrupt(): Promise<void>;
}

/** Code sessions, as adapters outside their capability use them. Errors: SandboxError. */
export interface CodePort {
  createSession(terms: {
    readonly language: string;
    readonly cwd: string | undefined;
    readonly sessionId?: string | undefined;
  }): Promise<CodeSession>;
  /** The newest first. */
  sessions(): readonly CodeSession[];
  closeSession(id: string): Promise<boolean>;
  begin(terms: CellTerms, gone: AbortSignal): Promise<RunningCell>;
}

export const CODE = definePort<CodePort>('code');
