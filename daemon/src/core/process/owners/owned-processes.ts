import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Identity } from '../../account/identity.ts';
import type { Ends } from '../../output/output-log.ts';
import { discardAtEnd } from '../discard-at-end.ts';
import { endProcesses } from '../end-processes.ts';
import type {
  AdoptSpec,
  HostedProcess,
  ProcessHost,
  ProcessTarget,
  Recovered,
  Reservation,
  StartSpec,
} from '../process-host.ts';
import type { ProcessOwners } from './process-owners.ts';

/** The processes of one owner: no call reaches a process of another one. */
export class OwnedProcesses {
  readonly owner: string;
  readonly promises: ProcessHost['promises'];
  readonly #host: ProcessHost;
  readonly #owners: ProcessOwners;
  readonly #running = new Map<string, ProcessTarget>();

  constructor(owner: string, host: ProcessHost, owners: ProcessOwners) {
    this.owner = owner;
    this.promises = host.promises;
    this.#host = host;
    this.#owners = owners;
  }

  /** Ids of its processes that run or whose end is not acknowledged, and of its output that is kept. */
  ids(): string[] {
    return this.#owners.idsOf(this.owner);
  }

  /** As `ProcessHost.start`. @throws also SandboxError `conflict` if another owner has a process of that id */
  async start(spec: StartSpec): Promise<HostedProcess> {
    using _starting = this.#owners.beginStart(this.owner, spec.id);
    return this.#track(await this.#host.start(spec), spec.identity);
  }

  /**
   * As `ProcessHost.reserve`, for a forker of this owner. @throws also SandboxError `not_found` if it has no such
   * process, `conflict` as `start`
   */
  async reserve(forker: string, spec: AdoptSpec, limit: { readonly ms: number }): Promise<Reservation> {
    if (this.#owners.ownerOf(forker) !== this.owner) throw new SandboxError('not_found', `no such process: ${forker}`);
    using begun = new DisposableStack();
    begun.use(this.#owners.beginStart(this.owner, spec.id));
    const reservation = await this.#host.reserve(forker, spec, limit);
    const starting = begun.move();
    const adopted = reservation.adopted
      .then((process) => this.#track(process, spec.identity))
      .finally(() => starting.dispose());
    adopted.catch(ignore);
    return { id: spec.id, adopted, [Symbol.dispose]: () => reservation[Symbol.dispose]() };
  }

  /**
   * Finds the processes and the output that this owner started in an earlier daemon; called once, before its first
   * start. `ends` are the ids that the owner's own records name, with the offsets at which their streams are known to
   * have ended: what they name belongs to this owner if no other owner is known. Its output that `ends` does not
   * name and no process writes is discarded.
   */
  recover(ends: ReadonlyMap<string, Ends>): Recovered {
    const owns = (id: string): boolean => (this.#owners.ownerOf(id) ?? (ends.has(id) && this.owner)) === this.owner;
    const recovered = this.#host.recover(new Map([...ends].filter(([id]) => owns(id))), owns);
    for (const id of recovered.outputs.keys()) this.#owners.adopt(this.owner, id, recovered.processes.has(id));
    for (const process of recovered.processes.values()) this.#track(process);
    return recovered;
  }

  /**
   * Kills processes that the owner has no record of; neither their output nor their end is kept. Returns how many
   * processes got the signal.
   */
  async abandon(processes: Iterable<HostedProcess>): Promise<number> {
    const abandoned = [...processes];
    for (const process of abandoned) discardAtEnd(process);
    return this.signal(
      abandoned.map(({ id, pid }) => ({ id, pid, running: false })),
      'SIGKILL',
    );
  }

  /** As `ProcessHost.signal`; targets of other owners are left out. */
  signal(targets: readonly ProcessTarget[], signal: string): Promise<number> {
    return this.#host.signal(this.#ownOf(targets), signal);
  }

  /** As `ProcessHost.living`; targets of other owners are left out. */
  living(targets: readonly ProcessTarget[]): Promise<number> {
    return this.#host.living(this.#ownOf(targets));
  }

  /** SIGTERM to every process of the owner, SIGKILL after `graceMs` milliseconds; answers how many got SIGTERM. */
  endAll(graceMs: number): Promise<number> {
    const targetOf = (id: string): ProcessTarget => this.#running.get(id) ?? { id, pid: 0, running: false };
    return endProcesses(this, () => this.ids().map(targetOf), { graceMs });
  }

  #track(process: HostedProcess, identity?: Identity): HostedProcess {
    const target = { id: process.id, pid: process.pid, running: true, ...(identity && { identity }) };
    this.#running.set(process.id, target);
    void process.ended.then(() => this.#running.delete(process.id));
    return process;
  }

  #ownOf(targets: readonly ProcessTarget[]): ProcessTarget[] {
    return targets.filter(({ id }) => (this.#owners.ownerOf(id) ?? this.owner) === this.owner);
  }
}
