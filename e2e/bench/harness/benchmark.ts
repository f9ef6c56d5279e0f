import type { Need } from '../../../scripts/test-all/need.ts';

/** The goal of a figure. */
export interface Goal {
  readonly words: string;
  /** Compared with the bound: ours divided by the peer's, ours minus the peer's, or ours alone. */
  readonly of: 'ratio' | 'difference' | 'value';
  readonly bound: number;
}

/** One figure, a row of the table. */
export interface Row {
  /** Unique within its benchmark. */
  readonly name: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** Undefined: for information only. */
  readonly goal?: Goal;
  /** The peer is the plainest program that does the same job. */
  readonly peerIsFloor?: boolean;
}

/** A measurement of both sides in turn. Each side returns one figure per row, in order. */
export interface Measurement {
  readonly rows: readonly Row[];
  /** The product, minimal program or system limit that ours is compared with. */
  readonly peer: string;
  /** At least 1. A row of one round has no range, and says so. */
  readonly rounds?: number;
  readonly measureOurs: () => Promise<readonly number[]>;
  readonly measurePeer: () => Promise<readonly number[]>;
}

export interface Benchmark {
  readonly name: string;
  /** What exactly is compared; printed below the table. */
  readonly about: string;
  /** Why goals are missed, by the name of the row; printed below the table for the rows that miss theirs. */
  readonly reasons?: Readonly<Record<string, string>>;
  readonly needs?: readonly Need[];
  /** Starts the measured programs; the stack ends them. */
  readonly prepare: (stack: AsyncDisposableStack) => Promise<readonly Measurement[]>;
}
