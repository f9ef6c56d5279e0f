import type { Identity } from '../account/identity.ts';
import type { Ends, OutputLog } from '../output/output-log.ts';

/** In characters, each at least 1. */
export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** What a process host is asked to start: one new session and process group. */
export interface StartSpec {
  /** Unique in the runtime directory; it names the output files and is the mark in the environment. */
  readonly id: string;
  /** An absolute path, or a name that is looked up on the PATH of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  /** Given to the process as descriptor 3: an unlinked file that belongs to the account. */
  readonly script?: string;
  readonly cwd: string;
  /** The whole environment of the process; nothing of the daemon's is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Whom it runs as; absent: as the daemon itself. */
  readonly identity?: Identity;
  /** Left aside where there is a `terminal`. */
  readonly stdin: 'null' | 'pipe';
  /** Run on a terminal of that size, which is its stdin and both its streams; what comes out of it is `output.stdout`. */
  readonly terminal?: TerminalSize;
  /** Bytes of each stream that are kept on disk; the oldest go first. */
  readonly outputMaxBytes: number;
}

/** What the processes used. Null where the host cannot tell it truthfully. */
export interface ProcessUsage {
  readonly cpuUserMs: number;
  readonly cpuSystemMs: number;
  readonly maxRssBytes: number;
  readonly oomKilled: boolean | null;
}

export interface ProcessEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Something it started still held its output 250 ms after it was reaped. */
  readonly background: boolean;
  readonly usage: ProcessUsage | null;
  readonly endedAt: Date;
  /** Nobody saw its end: neither code nor signal is known. */
  readonly lost?: boolean;
}

/** The terminal that a process was started on. Nothing happens where it is gone. */
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
  /** Settles when the process was reaped and its output read to the end, or 250 ms after the reaping; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * Hands bytes to its stdin, in the order of the calls. Resolves when less than 1 MiB of them still wait in the daemon.
   * @throws SandboxError `conflict` where there is no pipe, it was closed, or the process has ended
   */
  writeStdin(bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** Closes stdin after what was written. @throws SandboxError `conflict` as `writeStdin`, and on a terminal */
  endStdin(): Promise<void>;
  /** Its end is recorded where a daemon that is killed finds it again: the host need not remember it any more. */
  acknowledgeExit(): void;
}

/** Whose processes a signal is meant for; enough to find them after a restart. */
export interface ProcessTarget {
  readonly id: string;
  readonly pid: number;
  readonly identity?: Identity;
  /** False once the process itself was reaped: its pid may then belong to somebody else. */
  readonly running: boolean;
}

/** Could not be started; the message says why, in words for the caller. */
export class StartFailure extends Error {
  /** As a shell reports it: 127 not found, 126 found but not runnable. */
  readonly exitCode: 126 | 127;

  constructor(message: string, exitCode: 126 | 127, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartFailure';
    this.exitCode = exitCode;
  }
}

/** What is there of an earlier daemon. */
export interface Recovered {
  readonly outputs: ReadonlyMap<string, OutputLog>;
  /** Those that run, and those whose end was not acknowledged, whether anybody knows them or not. */
  readonly processes: ReadonlyMap<string, HostedProcess>;
}

/** Starts and holds processes. One suite runs on every host; what a host does not promise stands in `promises`. */
export interface ProcessHost extends AsyncDisposable {
  readonly name: 'portable' | 'keeper';
  readonly promises: {
    /** Processes and their output survive the death of the daemon. */
    readonly survivesDaemon: boolean;
    readonly usage: boolean;
  };
  /** @throws StartFailure where the program could not be started */
  start(spec: StartSpec): Promise<HostedProcess>;
  /**
   * Sends a signal to all processes of the targets: their sessions, their groups, their descendants, and whatever
   * carries one of their marks. Answers how many there were; none is no error.
   */
  signal(targets: readonly ProcessTarget[], signal: string): Promise<number>;
  /** Ids of processes that run or whose end is not acknowledged, and of output that is kept. */
  ids(): ReadonlySet<string>;
  /** How many processes of the targets live. */
  living(targets: readonly ProcessTarget[]): Promise<number>;
  /**
   * Finds what an earlier daemon started under ids that the caller `owns`; `ends` tells where its streams are known to
   * have ended. Output that nobody knows is discarded.
   */
  recover(ends: ReadonlyMap<string, Ends>, owns?: (id: string) => boolean): Recovered;
}
