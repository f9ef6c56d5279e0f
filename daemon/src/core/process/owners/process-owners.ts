import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { recordRefused } from '../../records/runtime-space.ts';
import type { ProcessHost } from '../process-host.ts';
import { OwnerJournal } from './owner-journal.ts';

/** Which owner started which process, in memory and where a restarted daemon finds it. */
export class ProcessOwners implements Disposable {
  readonly #host: Pick<ProcessHost, 'ids'>;
  readonly #journal: OwnerJournal;
  readonly #directory: string;
  readonly #owners: Map<string, string>;
  readonly #starting = new Set<string>();

  private constructor(
    host: Pick<ProcessHost, 'ids'>,
    directory: string,
    { journal, owners }: ReturnType<typeof OwnerJournal.open>,
  ) {
    this.#host = host;
    this.#directory = directory;
    this.#journal = journal;
    this.#owners = owners;
  }

  /** @throws Error if the journal in the directory cannot be read or written */
  static open(host: Pick<ProcessHost, 'ids'>, directory: string, logger: Logger): ProcessOwners {
    const opened = new ProcessOwners(host, directory, OwnerJournal.open(directory, logger));
    opened.#compact();
    return opened;
  }

  /** Undefined if an earlier version started the process, or the line of its start is torn. */
  ownerOf(id: string): string | undefined {
    return this.#owners.get(id);
  }

  /** Ids of the owner that the host knows. */
  idsOf(owner: string): string[] {
    return [...this.#host.ids()].filter((id) => this.#owners.get(id) === owner);
  }

  /**
   * Records the owner before the process can exist. The answer is disposed when the host has started it, or has not.
   * @throws SandboxError `conflict` if a process of that id is being started, or another owner has one; `disk_full`
   *   or `unavailable` if it cannot be recorded
   */
  beginStart(owner: string, id: string): Disposable {
    const known = this.#owners.get(id);
    if (this.#starting.has(id)) throw new SandboxError('conflict', `a process is being started already: ${id}`);
    if (known !== undefined && known !== owner && this.#host.ids().has(id)) {
      throw new SandboxError('conflict', `the id of the process belongs to another owner, ${known}: ${id}`);
    }
    this.#record(owner, id);
    this.#starting.add(id);
    this.#owners.set(id, owner);
    if (this.#journal.isLong) this.#compact();
    return { [Symbol.dispose]: () => void this.#starting.delete(id) };
  }

  /**
   * Takes over an id that the owner's own records name and no journal does. Only that of a process is written down:
   * output without one is found by these records again.
   */
  adopt(owner: string, id: string, isProcess: boolean): void {
    if (this.#owners.has(id)) return;
    this.#owners.set(id, owner);
    if (!isProcess) return;
    try {
      this.#record(owner, id);
    } catch {
      // The records of the owner name it again, as they did now.
    }
  }

  [Symbol.dispose](): void {
    this.#journal[Symbol.dispose]();
  }

  #record(owner: string, id: string): void {
    try {
      this.#journal.append(owner, id);
    } catch (error) {
      throw recordRefused(error, this.#directory);
    }
  }

  /** Forgets ids under which the host has neither a process nor output. */
  #compact(): void {
    const known = this.#host.ids();
    for (const id of this.#owners.keys()) {
      if (!known.has(id) && !this.#starting.has(id)) this.#owners.delete(id);
    }
    this.#journal.compact(this.#owners);
  }
}
