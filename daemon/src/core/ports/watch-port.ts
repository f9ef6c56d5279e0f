import { definePort } from './port.ts';

/** A change below a watched directory. */
export interface WatchedChange {
  readonly type: 'create' | 'write' | 'remove' | 'rename' | 'chmod';
  /** Relative to the directory; empty for the directory itself. Bytes that are not UTF-8 show as U+FFFD. */
  readonly path: string;
  /** The former path of a rename. */
  readonly oldPath: string | null;
}

/** A directory that is watched until it is disposed. */
export interface Watch extends AsyncDisposable {
  /** The changes since the last call, at most 1,000; waits up to `waitMs` milliseconds for the first. */
  next(waitMs: number, signal: AbortSignal): Promise<readonly WatchedChange[]>;
}

/** Watching, as adapters outside its capability use it. Errors: SandboxError. */
export interface WatchPort {
  watch(path: string, recursive: boolean): Promise<Watch>;
}

export const WATCH = definePort<WatchPort>('watch');
