import { textBeginning } from '@sandbox/program/text-beginning.ts';
import { callerName } from '../../../core/access/caller.ts';
import type { Identity } from '../../../core/account/identity.ts';
import type { AgeClock } from '../../../core/clock/age-clock.ts';
import type { OutputLog } from '../../../core/output/output-log.ts';
import type { HostedProcess, ProcessTarget, ProcessUsage } from '../../../core/process/process-host.ts';

/** `lost`: how it ended is unknown. */
export type CommandStatus = 'pending' | 'running' | 'completed' | 'timed_out' | 'killed' | 'failed' | 'lost';

export const COMMAND_STATUSES = [
  'pending',
  'running',
  'completed',
  'timed_out',
  'killed',
  'failed',
  'lost',
] as const satisfies readonly CommandStatus[];

/** What is known of a command; the journal keeps it across restarts. A change makes a new record. */
export interface CommandRecord {
  readonly id: string;
  readonly sessionId: string | null;
  /** The text of the command, cut at `COMMAND_TEXT_KEPT` characters. */
  readonly command: string;
  /** The account it runs as, if that is not the daemon's own. */
  readonly user: string | null;
  /** The name of the key that started it; null or absent: it has none. */
  readonly keyName?: string | null;
  readonly startedAt: string;
  /** The same moment by the age clock. */
  readonly startedTick: number;
  readonly status: CommandStatus;
  readonly pid: number | null;
  /** -1 if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly background: boolean;
  readonly endedAt: string | null;
  /** When its end was recorded, by the age clock. */
  readonly endedTick: number | null;
  readonly usage: ProcessUsage | null;
  /** Why it could not be started, or how it was lost. */
  readonly message: string | null;
  /** Ends of the streams when the command ended. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Bytes of stdin that the host took, and those of them that the command cannot read any more. */
  readonly stdinBytes: number;
  readonly stdinDropped: number;
  /** Bytes of the input that its start brought; null: none. Stdin is closed after them. */
  readonly inputBytes: number | null;
  /** Seconds from the start after which all processes of the command are ended. */
  readonly hardTimeout: number | null;
  /** The hard timeout has signalled its processes. */
  readonly timedOut: boolean;
  /** The program for which the memory guard has ended it; absent: it has not. */
  readonly guardedProgram?: string | undefined;
  readonly idempotency: { readonly key: string; readonly bodyHash: string } | null;
}

/** Characters of a command's text in its record, so that a thousand records of huge scripts fit in memory. */
const COMMAND_TEXT_KEPT = 65_536;

/** What a record has of the stdin of a process. */
export function stdinOf({ stdinCount }: HostedProcess): Pick<CommandRecord, 'stdinBytes' | 'stdinDropped'> {
  return { stdinBytes: stdinCount.taken, stdinDropped: stdinCount.dropped };
}

type RecordTerms = Pick<CommandRecord, 'id' | 'command' | 'startedTick'> & Partial<CommandRecord>;

/** The record of a command that is about to be started. */
export function newRecord({ command, ...terms }: RecordTerms): CommandRecord {
  return {
    sessionId: null,
    user: null,
    keyName: callerName(),
    startedAt: new Date().toISOString(),
    status: 'pending',
    pid: null,
    exitCode: null,
    signal: null,
    background: false,
    endedAt: null,
    endedTick: null,
    usage: null,
    message: null,
    stdoutBytes: 0,
    stderrBytes: 0,
    stdinBytes: 0,
    stdinDropped: 0,
    inputBytes: null,
    hardTimeout: null,
    timedOut: false,
    idempotency: null,
    ...terms,
    command: textBeginning(command, COMMAND_TEXT_KEPT),
  };
}

/** What a record has of an end at this moment. */
export function endedNow(clock: AgeClock): Pick<CommandRecord, 'endedAt'> & { readonly endedTick: number } {
  const { at, tick } = clock.moment();
  return { endedAt: at.toISOString(), endedTick: tick };
}

/** A command, from its start until its record is dropped. */
export class Command {
  record: CommandRecord;
  readonly output: OutputLog;
  /** Settles when the command has ended; never rejects. */
  readonly ended: Promise<void>;
  /** Settles when it is not pending any more; never rejects. */
  readonly started: Promise<void>;
  readonly identity: Identity | undefined;
  readonly #onInput: ((record: CommandRecord, from: number) => void) | undefined;
  #process: HostedProcess | undefined;

  constructor(
    record: CommandRecord,
    output: OutputLog,
    {
      ended = Promise.resolve(),
      started = Promise.resolve(),
      identity,
      process,
      onInput,
    }: {
      ended?: Promise<void>;
      started?: Promise<void>;
      identity?: Identity | undefined;
      process?: HostedProcess;
      /** Called when the process host has taken bytes of stdin. @param from offset of the first of them */
      onInput?: (record: CommandRecord, from: number) => void;
    },
  ) {
    this.record = record;
    this.output = output;
    this.ended = ended;
    this.started = started;
    this.identity = identity;
    this.#process = process;
    this.#onInput = onInput;
  }

  get id(): string {
    return this.record.id;
  }

  /** It has not ended. */
  get isRunning(): boolean {
    return this.record.status === 'running' || this.record.status === 'pending';
  }

  /** The process while it runs. */
  get process(): HostedProcess | undefined {
    return this.#process;
  }

  /** Brings the count of its stdin into the record. */
  countStdin(): void {
    if (!this.#process) return;
    const from = this.record.stdinBytes;
    this.record = { ...this.record, ...stdinOf(this.#process) };
    this.#onInput?.(this.record, from);
  }

  /** Lets go of the process once it has ended; record and output remain. */
  releaseProcess(): void {
    this.#process = undefined;
  }

  /**
   * Finds its processes, also those that it left behind; undefined if it was never started. Of a pending command the
   * host knows the process, or cancels it as soon as it does.
   */
  get target(): ProcessTarget | undefined {
    const { id, pid, status } = this.record;
    if (pid === null && status !== 'pending') return undefined;
    return { id, pid: pid ?? 0, running: this.isRunning, ...(this.identity && { identity: this.identity }) };
  }
}
