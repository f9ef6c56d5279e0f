/** A process, as `GET /v2/system/processes` has it. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly user: string;
  readonly state: string;
  readonly name: string;
  readonly command: string;
  readonly cpu_seconds: number;
  readonly memory_bytes: number;
  readonly threads: number;
  readonly started_at: string;
  readonly start_ticks: number;
  readonly protected: boolean;
}

/** Processes at one moment of the clock of the page. */
export interface Snapshot {
  readonly processes: readonly Process[];
  readonly atMs: number;
  /** Whether there are more, which are not shown. */
  readonly isPart: boolean;
}

/** A name for one process, also after its pid was reused. */
export function keyOf({ pid, start_ticks }: Process): string {
  return `${pid}-${start_ticks}`;
}

/** Per cent of one processor that each process has used between two moments; one that is new has none. */
export function cpuShares(before: Snapshot | undefined, now: Snapshot): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  if (before === undefined || now.atMs <= before.atMs) return shares;
  const used = new Map(before.processes.map((process) => [keyOf(process), process.cpu_seconds]));
  for (const process of now.processes) {
    const earlier = used.get(keyOf(process));
    if (earlier === undefined) continue;
    shares.set(keyOf(process), (Math.max(0, process.cpu_seconds - earlier) / (now.atMs - before.atMs)) * 100_000);
  }
  return shares;
}
