import { statfsSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isFull, replaceFile } from './replace-file.ts';
import { ReserveFiles } from './reserve-files.ts';

/** Bytes, or a part of a small file system, and files below which the directory counts as full. */
const FREE_BYTES = 256 * 1024;
const FREE_PART = 1 / 16;
const FREE_FILES = 16;

/** What is given up for room, first to last (`docs/records.md`). */
export const GIVEN_UP = ['output of ended commands', 'ended executions'] as const;

/** Gives some of it up. @returns false if nothing is left */
type GiveUp = () => boolean;

/** The room of the runtime directory: what is set aside, what is given up, and what is refused on a full disk. */
export class RuntimeSpace {
  readonly #directory: string;
  readonly #reserve: ReserveFiles;
  readonly #offers = new Map<(typeof GIVEN_UP)[number], GiveUp>();
  readonly #refills: (() => boolean)[] = [];

  constructor(directory: string) {
    this.#directory = directory;
    this.#reserve = new ReserveFiles(directory);
  }

  /** Registers how a capability makes room. */
  offer(what: (typeof GIVEN_UP)[number], giveUp: GiveUp): void {
    this.#offers.set(what, giveUp);
  }

  /** Registers a reserve that has to be whole before something starts. */
  keepWhole(refill: () => boolean): void {
    this.#refills.push(refill);
  }

  /** As `replaceFile`; on a full disk with what is set aside: for what a next daemon must know. */
  replace(path: string, content: string): void {
    replaceFile(path, content, { fromReserve: (to, bytes) => this.#reserve.take(to, bytes) });
  }

  /**
   * Called before something starts whose record has to outlive the daemon. Where the directory is full, room is made in
   * the order of `GIVEN_UP` first.
   * @param isOutputNeeded without its output it cannot be followed; an agent may need what else starts to delete files
   * @throws SandboxError `disk_full` if that is not enough
   */
  requireRoom({ isOutputNeeded = false }: { readonly isOutputNeeded?: boolean } = {}): void {
    if (this.#hasRoom() && this.#isSetAside()) return;
    for (const what of GIVEN_UP) {
      while (this.#offers.get(what)?.()) if (this.#hasRoom() && this.#isSetAside()) return;
    }
    if (isOutputNeeded || !this.#isSetAside()) throw directoryFull(this.#directory);
  }

  #isSetAside(): boolean {
    return this.#reserve.refill() && this.#refills.every((refill) => refill());
  }

  #hasRoom(): boolean {
    try {
      const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(this.#directory);
      const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize;
      return free >= Math.min(FREE_BYTES, blocks * bsize * FREE_PART) && (files === 0 || ffree >= FREE_FILES);
    } catch {
      // A system that cannot tell: the write itself decides.
      return true;
    }
  }
}

/** The error for a record that could not be written: `disk_full`, or `unavailable` if the disk is not full. */
export function recordRefused(error: unknown, directory: string): SandboxError {
  if (error instanceof SandboxError) return error;
  if (isFull(error)) return directoryFull(directory, error);
  const reason = error instanceof Error ? error.message : String(error);
  return new SandboxError('unavailable', `nothing can be recorded in the runtime directory: ${reason}`, {
    hint: 'repeat the call; `sandboxd doctor` shows what the runtime directory lacks',
    cause: error,
  });
}

function directoryFull(directory: string, cause?: unknown): SandboxError {
  return new SandboxError('disk_full', `the runtime directory is full: ${directory}`, {
    hint: 'free space on its file system: delete files, or end commands and terminals with much output; then repeat',
    cause,
  });
}
