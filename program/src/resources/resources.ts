/** What the sandbox uses of its machine, or of the limits of its container. Sizes are bytes. */
export interface Resources {
  /** Whose CPU and memory these are: of a container even where it has no limit. */
  readonly of: 'container' | 'machine';
  /** Processor time used so far, the clock at that time, and how many processors there are to use. */
  readonly cpu: { readonly used_ms: number; readonly at_ms: number; readonly count: number };
  readonly memory: Usage;
  /** The file system of `/`; null if it cannot be read. */
  readonly disk: Usage | null;
  /** Processes that the kernel killed for want of memory; null if it does not count them. */
  readonly oom_kills: number | null;
}

interface Usage {
  readonly used: number;
  readonly total: number;
}
