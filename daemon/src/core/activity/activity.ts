import { callerName } from '../access/caller.ts';
import type { AgeClock, Moment } from '../clock/age-clock.ts';

/** What the time of the last use is kept of. */
const USE_KINDS = ['command', 'terminal', 'file', 'cell', 'browser', 'transfer'] as const;
export type UseKind = (typeof USE_KINDS)[number];

/** What keeps the sandbox busy while it lasts. */
export const HOLDER_KINDS = ['command', 'terminal', 'viewer', 'transfer', 'cell', 'tab'] as const;
export type HolderKind = (typeof HOLDER_KINDS)[number];

interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
  /** The name of the key of the request that began it; null: it has none, or a daemon of before began it. */
  readonly key: string | null;
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

/** As `Holder`, by the age clock. */
interface Held extends Omit<Holder, 'since'> {
  readonly since: Moment;
}

/**
 * Whether the sandbox is in use, since when, and by what. Reading this or any other state counts as no use. The reported
 * times are those of the wall clock of the report: its difference to them is how long ago they were.
 */
export class Activity {
  readonly #clock: AgeClock;
  readonly #holders = new Set<Held>();
  readonly #last = new Map<UseKind, Moment>();
  #since: Moment;

  constructor(clock: AgeClock) {
    this.#clock = clock;
    this.#since = clock.moment();
  }

  /**
   * Keeps the sandbox busy until the answer is disposed; it may be disposed any number of times.
   * @param since earlier than now if an earlier daemon began it
   */
  hold(kind: HolderKind, id: string, since: Moment = this.#clock.moment()): Disposable {
    const holder = { kind, id, key: callerName(), since };
    if (this.#holders.size === 0 || since.tick < this.#since.tick) this.#since = since;
    this.#holders.add(holder);
    return {
      [Symbol.dispose]: () => {
        if (this.#holders.delete(holder) && this.#holders.size === 0) this.#since = this.#clock.moment();
      },
    };
  }

  /** Notes that something was used at this moment. */
  note(kind: UseKind): void {
    this.#last.set(kind, this.#clock.moment());
  }

  /** Milliseconds since the last holder or use; 0 while something holds the sandbox. */
  idleMs(): number {
    if (this.#holders.size > 0) return 0;
    const last = Math.max(this.#since.tick, ...Array.from(this.#last.values(), ({ tick }) => tick));
    return this.#clock.moment().tick - last;
  }

  /** Begins the state again. */
  restart(): void {
    if (this.#holders.size === 0) this.#since = this.#clock.moment();
  }

  report(): ActivityReport {
    const holders = [...this.#holders]
      .sort((a, b) => a.since.tick - b.since.tick)
      .map(({ kind, id, key, since }) => ({ kind, id, key, since: this.#clock.dateOf(since) }));
    return {
      state: holders.length > 0 ? 'busy' : 'idle',
      since: this.#clock.dateOf(this.#since),
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
    const last = this.#last.get(kind);
    return last === undefined ? null : this.#clock.dateOf(last);
  }
}
