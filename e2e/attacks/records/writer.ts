import type { KilledDaemon } from './killed-daemon.ts';
import type { Ledger } from './ledger.ts';

/** What one client does again and again, in one way. */
export interface Writer {
  /** Calls once, or a few times. A call that was cut is settled by the next `settle`. */
  act(): Promise<void>;
  /** Compares what was answered with what a later daemon says, and brings to an end what was cut. */
  settle(): Promise<void>;
  /** Settles, ends what it has begun, and compares the rest. */
  finish(): Promise<void>;
}

export interface Surroundings {
  readonly daemon: KilledDaemon;
  readonly ledger: Ledger;
  /** The runtime directory has little room, and at times none. */
  readonly isOnSmallDisk: boolean;
  /** Below 1. */
  readonly random: () => number;
  /** Of this client alone: names begin with it. */
  readonly name: string;
  /** Directory of the files. */
  readonly directory: string;
  /** Programs append their tokens here. */
  readonly ran: string;
}

/** A generator of numbers below 1 (mulberry32): the same ones for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
