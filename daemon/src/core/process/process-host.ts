import type { Identity } from '../account/identity.ts';
import type { Finding } from '../finding.ts';
import type { Ends, OutputLog } from '../output/output-log.ts';
import type { StdinCount } from './stdin/stdin-sink.ts';

/** In characters, each at least 1. */
export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** Resources of setrlimit(2) by their names, with the numbers that Linux gives them. */
export const RESOURCES = {
  cpu: 0,
  fsize: 1,
  data: 2,
  stack: 3,
  core: 4,
  nproc: 6,
  nofile: 7,
  memlock: 8,
  as: 9,
} as const;

/** Limits of a process and of what it starts; what is absent is as the host has it. */
export interface ProcessLimits {
  /** -20 to 19; less than that of the host needs CAP_SYS_NICE. */
  readonly niceness?: number;
  /** -1000 to 1000, the first to be killed for memory; without CAP_SYS_RESOURCE it is not lowered. */
  readonly oomScoreAdj?: number;
  /** In the units of setrlimit(2); Infinity is no limit. */
  readonly resources?: Readonly<
    Partial<Record<keyof typeof RESOURCES, { readonly soft: number; readonly hard: number }>>
  >;
}

/** A process to start, in a new session and process group. */
export interface StartSpec {
  /** Unique in the runtime directory; part of the names of the output files, and the mark in the environment. */
  readonly id: string;
  /** An absolute path, or a name that is looked up on the PATH of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  /** Given to the process as descriptor 3: an unlinked file that belongs to the account. */
  readonly script?: string;
  readonly cwd: string;
  /** The whole environment of the process; the daemon's is not added. */
  readonly env: Readonly<Record<string, string>>;
  /** The account that it runs as; absent: that of the daemon. */
  readonly identity?: Identity;
  /** Ignored if there is a `terminal`. */
  readonly stdin: 'null' | 'pipe';
  /** Runs on a terminal of that size, which is its stdin, stdout and stderr; its output is `output.stdout`. */
  readonly terminal?: TerminalSize;
  /** The most bytes of each stream that are kept on disk; the oldest are dropped first. */
  readonly outputMaxBytes: number;
  /** The caller does not wait for the end: its start is reported at once, and not together with a soon end. */
  readonly isAsync?: boolean | undefined;
  /** A text of the owner's, at most 512 KiB, that a host which survives the daemon returns with the process. */
  readonly record?: string | undefined;
  /** Without effect on a host that does not promise `limits`. */
  readonly limits?: ProcessLimits | undefined;
  /** It may hand processes that it forks over to the host, through descriptor 4 (`docs/keeper.md`, Adoption). */
  readonly forks?: boolean | undefined;
}

/** A process that a forker will hand over; the fields are those of `StartSpec`. */
export interface AdoptSpec {
  readonly id: string;
  /** `pipe`: the forker passes the end of its stdin too. */
  readonly stdin: 'null' | 'pipe';
  readonly outputMaxBytes: number;
  readonly record?: string | undefined;
  /** That of the forker. */
  readonly identity?: Identity | undefined;
}

/** An id that the host accepts from a forker. */
export interface Reservation extends Disposable {
  readonly id: string;
  /**
   * Settles when the forker has handed the process over. Rejects with a StartFailure if the forker or the host has
   * ended, the time is over, or the reservation was disposed.
   */
  readonly adopted: Promise<HostedProcess>;
  /** Gives the id up; a process that is handed over nevertheless is killed. No effect once `adopted` has settled. */
  [Symbol.dispose](): void;
}

/** What the memory limit killed of a process and its descendants. */
export interface MemoryKill {
  /** Milliseconds since the last one. */
  readonly msAgo: number;
  /** The name of its program. */
  readonly program: string;
}

/**
 * Resources that the processes used. `oomKilled` is null if it is unknown; `oomProcess` names the program that was
 * killed last, if it is known.
 */
export interface ProcessUsage {
  readonly cpuUserMs: number;
  readonly cpuSystemMs: number;
  readonly maxRssBytes: number;
  readonly oomKilled: boolean | null;
  readonly oomProcess: string | null;
}

export interface ProcessEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Another process still held its output open 250 ms after it was reaped. */
  readonly background: boolean;
  readonly usage: ProcessUsage | null;
  readonly endedAt: Date;
  /** No process observed its end: neither code nor signal is known. */
  readonly lost?: boolean;
}

/** The terminal that a process was started on. Calls have no effect once it is closed. */
export interface HostedTerminal {
  resize(size: TerminalSize): void;
  /** Signals the foreground group alone; answers whether there was one. */
  signalForeground(signal: NodeJS.Signals): Promise<boolean>;
}

/** A process that was started. Its output can be read from the first byte on. */
export interface HostedProcess {
  readonly id: string;
  readonly pid: number;
  readonly output: OutputLog;
  readonly terminal?: HostedTerminal | undefined;
  /** The `record` of its start, if an earlier daemon started it. */
  readonly record?: string | undefined;
  /** Settles when the process was reaped and its output read to the end, or 250 ms after the reaping; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * Writes bytes to its stdin at the pace of the process, in the order of the calls. Resolves when the host holds them:
   * at most 8 MiB for a process and 64 MiB for all.
   * @param offset of the first byte in the whole of stdin: bytes that were taken before are skipped; absent: after them
   * @throws SandboxError `conflict` if there is no pipe, it was closed, the process has ended, or bytes before the
   *   offset are missing; `unavailable` if the host does not answer for 5 s: a part of the bytes may still reach the
   *   process
   */
  writeStdin(bytes: Uint8Array, signal?: AbortSignal, offset?: number): Promise<void>;
  /** As `writeStdin`, for typed keys: resolves when the bytes are on their way to the host. */
  typeStdin(bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /**
   * Writes what the host can hold now; answers how many of the bytes it holds, or held before.
   * @param offset of the first byte in the whole of stdin; absent: after what was written before
   * @throws SandboxError as `writeStdin`
   */
  offerStdin(bytes: Uint8Array, offset?: number): Promise<number>;
  /** Bytes of its stdin, also after its end. */
  readonly stdinCount: StdinCount;
  /**
   * What the memory limit killed last of it and its descendants, asked of the host; undefined: nothing that is known,
   * or the host does not answer in 250 ms. Never rejects; absent on a host without `usage`.
   */
  memoryKill?(): Promise<MemoryKill | undefined>;
  /** Its stdin can be written to; absent: it can not. */
  readonly stdinIsOpen?: boolean;
  /** Closes stdin after what was written. @throws SandboxError `conflict` as `writeStdin`, and on a terminal */
  endStdin(): Promise<void>;
  /** The owner has recorded the end where a restarted daemon finds it, so that the host can forget the process. */
  acknowledgeExit(): void;
}

/** A command or terminal, the processes of which are signalled; enough to find them after a restart. */
export interface ProcessTarget {
  readonly id: string;
  readonly pid: number;
  readonly identity?: Identity;
  /** False once the process itself was reaped: the system may then reuse its pid. */
  readonly running: boolean;
}

/** The process could not be started; the message gives the reason in words for the caller. */
export class StartFailure extends Error {
  /** As a shell reports it: 127 not found, 126 found but not runnable. */
  readonly exitCode: 126 | 127;

  constructor(message: string, exitCode: 126 | 127, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartFailure';
    this.exitCode = exitCode;
  }
}

/** Output and processes of an earlier daemon. */
export interface Recovered {
  readonly outputs: ReadonlyMap<string, OutputLog>;
  /** Processes that run, or ended without being acknowledged. */
  readonly processes: ReadonlyMap<string, HostedProcess>;
}

/** Starts and holds processes. One suite runs on every host; `promises` names the differences. */
export interface ProcessHost extends AsyncDisposable {
  readonly name: 'portable' | 'keeper';
  readonly promises: {
    /** Processes and their output survive the death of the daemon. */
    readonly survivesDaemon: boolean;
    readonly usage: boolean;
    readonly limits: boolean;
    /** It takes over processes that other processes have forked. */
    readonly adopts: boolean;
  };
  /** @throws StartFailure if the program could not be started */
  start(spec: StartSpec): Promise<HostedProcess>;
  /**
   * Reserves an id for a process that the process `forker`, started with `forks`, will hand over within `ms`
   * milliseconds, at most ten minutes. A request to fork may be sent to the forker from then on.
   * @throws SandboxError `unsupported` if the host does not adopt; StartFailure if the forker does not run
   */
  reserve(forker: string, spec: AdoptSpec, limit: { readonly ms: number }): Promise<Reservation>;
  /**
   * Sends a signal to all processes of the targets: their sessions, their groups, their descendants, and processes with
   * one of their marks. Returns how many there were; 0 is not an error.
   */
  signal(targets: readonly ProcessTarget[], signal: string): Promise<number>;
  /** Whether it answers; hosts that are part of the daemon have none. */
  check?(): Promise<Finding>;
  /** What it counts, by the names of metrics; undefined if it does not answer. */
  figures?(): Promise<Readonly<Record<string, number>> | undefined>;
  /** Ids of processes that run or whose end is not acknowledged, and of output that is kept. */
  ids(): ReadonlySet<string>;
  /** Number of living processes of the targets. */
  living(targets: readonly ProcessTarget[]): Promise<number>;
  /**
   * Finds the processes and the output of an earlier daemon with ids that the caller `owns`. `ends` has the offsets at
   * which streams are known to have ended; owned output that neither `ends` nor a process names is discarded.
   */
  recover(ends: ReadonlyMap<string, Ends>, owns?: (id: string) => boolean): Recovered;
}
