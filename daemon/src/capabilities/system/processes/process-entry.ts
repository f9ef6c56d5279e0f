/** A process of the sandbox, as /proc shows it (proc(5)). */
export interface ProcessEntry {
  readonly pid: number;
  /** Pid of its parent; 0: it has none that this system shows. */
  readonly parent: number;
  readonly uid: number;
  /** One letter of proc(5): R, S, D, T, t, Z, X, I. */
  readonly state: string;
  /** At most 15 bytes, as the kernel keeps it. */
  readonly name: string;
  /** Its arguments with spaces between, shortened; undefined if it has none, or they could not be read. */
  readonly command: string | undefined;
  /** Seconds of processor time so far. */
  readonly cpuSeconds: number;
  /** Resident bytes. */
  readonly memory: number;
  readonly threads: number;
  /** Clock ticks of 10 ms after the boot of the machine; with the pid it names one process. */
  readonly startTicks: number;
}

export interface ProcessQuery {
  /** Only higher pids. */
  readonly after: number;
  readonly limit: number;
  /** Only processes of this account; undefined: of every one. */
  readonly uid: number | undefined;
  /** Pids whose arguments are not read. */
  readonly withoutCommand: readonly number[];
}

export interface ProcessPage {
  readonly processes: readonly ProcessEntry[];
  /** Whether higher pids exist. */
  readonly hasMore: boolean;
  /** Seconds from 1970 to the boot of the machine. */
  readonly bootSeconds: number;
}
