import { pause } from '@sandbox/api/wait.ts';
import { FileFailure, leasedFile, systemCodeOf } from '../file-failure.ts';
import { LEASED } from './unread.ts';

/** Milliseconds that an open waits for the holder of a lease (fcntl(2), F_SETLEASE), which the open notifies. */
const LEASE_WAIT_MS = 2000;
const RETRY_MS = 20;
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs an action that opens a file with O_NONBLOCK, again as long as a lease blocks it. Without a lease the action
 * runs at once, before this returns.
 * @throws FileFailure with the code `EAGAIN` after 2 s
 */
export function unleased<T>(
  operation: string,
  shown: string,
  action: () => T | Promise<T>,
  patience = new LeasePatience(),
): T | Promise<T> {
  try {
    return action();
  } catch (error) {
    if (systemCodeOf(error) !== LEASED) throw error;
    return retry(operation, shown, action, patience);
  }
}

async function retry<T>(
  operation: string,
  shown: string,
  action: () => T | Promise<T>,
  patience: LeasePatience,
): Promise<T> {
  while (await patience.wait()) {
    try {
      return await action();
    } catch (error) {
      if (systemCodeOf(error) !== LEASED) throw error;
    }
  }
  throw leasedFile(operation, shown);
}

/** The time that one call waits for leases, all its files together, so that many leases hold it no longer than one. */
export class LeasePatience {
  #left = LEASE_WAIT_MS;

  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** Waits a moment. @returns false if the time is over */
  async wait(signal?: AbortSignal): Promise<boolean> {
    if (this.isOver || signal?.aborted) return false;
    const from = performance.now();
    await pause(RETRY_MS, signal);
    this.#left -= performance.now() - from;
    return true;
  }

  /** As `wait`, for a thread that does nothing else: it sleeps itself. */
  sleep(): boolean {
    if (this.isOver) return false;
    Atomics.wait(SLEEPER, 0, 0, RETRY_MS);
    this.#left -= RETRY_MS;
    return true;
  }
}

/** Whether an open ended because of a lease. */
export function isLeased(error: unknown): boolean {
  return systemCodeOf(error) === LEASED || (error instanceof FileFailure && error.file.errnoName === LEASED);
}
