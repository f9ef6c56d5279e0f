import { definePort } from './port.ts';

interface TerminalTerms {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly cols: number;
  readonly rows: number;
}

/** A terminal as it was at one moment. */
export interface TerminalState {
  readonly id: string;
  readonly pid: number | null;
  readonly isOpen: boolean;
  /** Null: the shell of the account. */
  readonly program: string | null;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export type TerminalEvent =
  | { readonly type: 'bytes'; readonly bytes: Buffer /** Offset of the byte after them. */; readonly next: number }
  | { readonly type: 'exit'; readonly state: TerminalState };

/** Terminals, as adapters outside their capability use them. Errors: SandboxError. */
export interface TerminalsPort {
  open(terms: TerminalTerms): Promise<TerminalState>;
  list(): readonly TerminalState[];
  /** The kept output from its first byte on, or from an offset, until the end of the session. */
  follow(id: string, gone: AbortSignal, from?: number): AsyncGenerator<TerminalEvent>;
  write(id: string, bytes: Uint8Array, gone: AbortSignal): Promise<void>;
  resize(id: string, size: { readonly cols: number; readonly rows: number }): void;
  /** SIGHUP to its processes, SIGKILL to those that are left after `graceMs` milliseconds. */
  close(id: string, graceMs?: number): Promise<void>;
}

export const TERMINALS = definePort<TerminalsPort>('terminals');
