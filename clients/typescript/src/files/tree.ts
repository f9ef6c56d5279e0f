import type { Camel } from '../core/camel.ts';
import type * as wire from '../wire.ts';
import type { TransferOptions, UploadOptions } from './upload.ts';

interface Signalled {
  readonly signal?: AbortSignal | undefined;
}

/** What a transfer of a directory needs of the files of the sandbox. */
export interface RemoteFiles {
  walk(path: string, options: Signalled): AsyncGenerator<RemoteEntry>;
  stat(path: string, options: { readonly followLinks: boolean }): Promise<{ readonly symlinkTarget: string | null }>;
  makeDirectory(path: string, options: Signalled): Promise<void>;
  upload(file: string, options: UploadOptions & { readonly to?: string }): Promise<void>;
  download(path: string, local: string, options: Signalled): Promise<void>;
}

export type RemoteEntry = Camel<wire.FileEntry>;

export interface TreeOptions extends Pick<TransferOptions, 'signal'> {
  /** Called after each file. */
  readonly onFile?: ((path: string) => void) | undefined;
  /** Transfers at once; default 8. */
  readonly concurrency?: number | undefined;
}

export interface TreeReport {
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** Paths that were left out: special files, and links that lead out of the directory. */
  readonly skipped: readonly string[];
}

/** Counts what a transfer does. */
export class Tally implements TreeReport {
  files = 0;
  directories = 0;
  bytes = 0;
  readonly skipped: string[] = [];
}

/** Runs at most `most` tasks at once; the first failure ends it when the running ones have ended. */
export class Pool {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when there is room for the next one. */
  async add(task: () => Promise<void>): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    const running = task()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    while (this.#running.size >= this.#most) await Promise.race(this.#running);
  }

  async end(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.error;
  }
}

/**
 * Whether the target of a link stays below the root; `at` is the relative path of the link. `..` is allowed at the
 * beginning only: after a name, which may be a link itself, it leads to a place that the text does not show.
 */
export function staysBelow(at: string, target: string): boolean {
  if (target.startsWith('/') || target.includes('\\')) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const names = parts.findIndex((part) => part !== '..');
  const up = names === -1 ? parts.length : names;
  return up < at.split('/').length && !parts.slice(up).includes('..');
}
