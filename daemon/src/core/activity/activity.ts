/** What the time of the last use is kept of. */
const USE_KINDS = ['command', 'terminal', 'file', 'cell', 'browser', 'transfer'] as const;
export type UseKind = (typeof USE_KINDS)[number];

/** What keeps the sandbox busy while it lasts. */
export const HOLDER_KINDS = ['command', 'terminal', 'viewer', 'transfer', 'cell', 'tab'] as const;
export type HolderKind = (typeof HOLDER_KINDS)[number];

export interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
  readonly since: Date;
}

export interface ActivityReport {
  readonly state: 'busy' | 'idle';
  /** When the state began. */
  readonly since: Date;
  /** Oldest first. */
  readonly holders: readonly Holder[];
  readonly last: Readonly<Record<UseKind, Date | null>>;
}

/** Whether the sandbox is in use, since when, and by what. Reading this or any other state counts as no use. */
export class Activity {
  readonly #holders = new Set<Holder>();
  readonly #last = new Map<UseKind, Date>();
  #since = new Date();

  /**
   * Keeps the sandbox busy until the answer is disposed; it may be disposed any number of times.
   * @param since earlier than now where an earlier daemon began it
   */
  hold(kind: HolderKind, id: string, since: Date = new Date()): Disposable {
    const holder = { kind, id, since };
    if (this.#holders.size === 0 || since < this.#since) this.#since = since;
    this.#holders.add(holder);
    return {
      [Symbol.dispose]: () => {
        if (this.#holders.delete(holder) && this.#holders.size === 0) this.#since = new Date();
      },
    };
  }

  /** Notes that something was used at this moment. */
  note(kind: UseKind): void {
    this.#last.set(kind, new Date());
  }

  report(): ActivityReport {
    const holders = [...this.#holders].sort((a, b) => a.since.getTime() - b.since.getTime());
    return {
      state: holders.length > 0 ? 'busy' : 'idle',
      since: this.#since,
      holders,
      last: {
        command: this.#lastOf('command'),
        terminal: this.#lastOf('terminal'),
        file: this.#lastOf('file'),
        cell: this.#lastOf('cell'),
        browser: this.#lastOf('browser'),
        transfer: this.#lastOf('transfer'),
      },
    };
  }

  #lastOf(kind: UseKind): Date | null {
    return this.#last.get(kind) ?? null;
  }
}
