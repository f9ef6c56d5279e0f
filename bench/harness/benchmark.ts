import type { Need } from '../../scripts/test-all/need.ts';

/** What a figure has to reach. */
export interface Goal {
  readonly words: string;
  /** What is held against the bound: ours divided by the peer's, ours minus the peer's, or ours alone. */
  readonly of: 'ratio' | 'difference' | 'value';
  readonly bound: number;
}

/** One figure, a row of the table. */
export interface Row {
  /** Unique within its benchmark. */
  readonly name: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** Undefined: measured to be known. */
  readonly goal?: Goal;
}

/** What is measured on both sides in turn. Each side answers one figure a row, in their order. */
export interface Measurement {
  readonly rows: readonly Row[];
  /** The other product, the plainest program or the limit of the system that ours is held against. */
  readonly peer: string;
  readonly rounds?: number;
  readonly measureOurs: () => Promise<readonly number[]>;
  readonly measurePeer: () => Promise<readonly number[]>;
}

export interface Benchmark {
  readonly name: string;
  /** What exactly is compared, for whoever reads the table. */
  readonly about: string;
  readonly needs?: readonly Need[];
  /** Starts what is measured; the stack ends it. */
  readonly prepare: (stack: AsyncDisposableStack) => Promise<readonly Measurement[]>;
}
