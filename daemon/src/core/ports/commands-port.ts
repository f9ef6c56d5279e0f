import { definePort } from './port.ts';

/** A program to start as a command. */
interface ProgramRequest {
  readonly program: string;
  readonly args: readonly string[];
  /** Text of the command in lists. */
  readonly shownAs: string;
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly openStdin: boolean;
  /** Seconds after which all its processes are ended. */
  readonly hardTimeout: number | undefined;
}

/** A command as it was at one moment. */
export interface ProgramState {
  readonly id: string;
  /** Null: it could not be started, or the process host has not answered yet. */
  readonly pid: number | null;
  readonly text: string;
  readonly isRunning: boolean;
  /** The hard timeout has ended it. */
  readonly timedOut: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it could not be started, or how it was lost. */
  readonly message: string | null;
}

export type ProgramEvent =
  | {
      readonly type: 'bytes';
      readonly stream: 'stdout' | 'stderr';
      /** Valid until the next event is asked for. */
      readonly bytes: Buffer;
    }
  | { readonly type: 'exit'; readonly state: ProgramState };

/** Commands, as adapters outside their capability use them. Errors: SandboxError. */
export interface CommandsPort {
  /** Resolves when the process runs, or it is known that it does not. */
  start(request: ProgramRequest, gone: AbortSignal): Promise<ProgramState>;
  /** Newest first. */
  list(): readonly ProgramState[];
  find(id: string): ProgramState | undefined;
  /** The kept output from its first byte on, until the end of the command. */
  follow(id: string, gone: AbortSignal): AsyncGenerator<ProgramEvent>;
  /** Writes to stdin at the pace of the command. */
  write(id: string, bytes: Uint8Array, gone: AbortSignal): Promise<void>;
  closeStdin(id: string): Promise<void>;
  /** Signals all processes of the command, also those that it left behind; returns how many. */
  signal(id: string, signal: string): Promise<number>;
}

export const COMMANDS = definePort<CommandsPort>('commands');
