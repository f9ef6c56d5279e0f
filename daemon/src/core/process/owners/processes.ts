import type { Logger } from '@sandbox/program/logger.ts';
import type { Finding } from '../../finding.ts';
import type { Metrics } from '../../metrics.ts';
import { discardAtEnd } from '../discard-at-end.ts';
import { KEEPER_FIGURES } from '../keeper/requests/keeper-figures.ts';
import type { ProcessHost } from '../process-host.ts';
import { OwnedProcesses } from './owned-processes.ts';
import { ProcessOwners } from './process-owners.ts';

/** The process host, divided by owner. */
export class Processes implements AsyncDisposable {
  readonly #host: ProcessHost;
  readonly #owners: ProcessOwners;
  readonly #logger: Logger;
  readonly #views = new Map<string, OwnedProcesses>();

  private constructor(host: ProcessHost, owners: ProcessOwners, logger: Logger) {
    this.#host = host;
    this.#owners = owners;
    this.#logger = logger;
  }

  /** `directory`: the runtime directory. @throws Error if the owners in it cannot be read or written */
  static open(host: ProcessHost, directory: string, logger: Logger): Processes {
    return new Processes(host, ProcessOwners.open(host, directory, logger), logger);
  }

  /** The processes of one owner, which are found under the same name after a restart. */
  of(owner: string): OwnedProcesses {
    const view = this.#views.get(owner) ?? new OwnedProcesses(owner, this.#host, this.#owners);
    this.#views.set(owner, view);
    return view;
  }

  /** What the host says of itself for `/ready`: nothing if it is part of the daemon. */
  get probes(): readonly (() => Promise<Finding>)[] {
    const check = this.#host.check?.bind(this.#host);
    return check === undefined ? [] : [check];
  }

  /** Shows the figures of the host, and whether it answers. */
  measure(metrics: Metrics): void {
    const read = this.#host.figures?.bind(this.#host);
    if (read === undefined) return;
    const help = { ...KEEPER_FIGURES, keeper_up: 'Whether the process keeper answers.' };
    metrics.gauges(help, async () => {
      const figures = await read();
      return { ...figures, keeper_up: figures === undefined ? 0 : 1 };
    });
  }

  /**
   * Kills the processes that have neither an owner nor a record in the host, and discards their output. One with a
   * record was acknowledged: it runs on, and the next daemon asks its owners again. Called after every owner has
   * recovered.
   */
  async endUnowned(): Promise<void> {
    const found = this.#host.recover(new Map(), (id) => this.#owners.ownerOf(id) === undefined).processes;
    const processes = new Map(found);
    for (const { id, record } of processes.values()) {
      if (record === undefined || record === '') continue;
      processes.delete(id);
      this.#logger.warn({ id }, 'a process with a record has no owner; it runs on');
    }
    if (processes.size === 0) return;
    for (const process of processes.values()) discardAtEnd(process);
    const targets = Array.from(processes.values(), ({ id, pid }) => ({ id, pid, running: false }));
    const signalled = await this.#host.signal(targets, 'SIGKILL');
    // Their end may come before the signal.
    if (signalled === 0) return;
    this.#logger.warn({ ids: [...processes.keys()], processes: signalled }, 'processes without an owner were ended');
  }

  /** Ends the host; see there what happens to the processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
    this.#owners[Symbol.dispose]();
  }
}
