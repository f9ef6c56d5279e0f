import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Identity } from '../../account/identity.ts';
import { segmentBytesOf } from '../../output/byte-log-writer.ts';
import { discardAtEnd } from '../discard-at-end.ts';
import { type AdoptSpec, type HostedProcess, type Reservation, StartFailure } from '../process-host.ts';
import { type KeeperConnection, SilentKeeper } from './keeper-connection.ts';
import { adoptionFailure, type Failed, refuse } from './keeper-failure.ts';
import { FrameWriter, REQUEST } from './keeper-frames.ts';

/** Milliseconds that the keeper may take to answer RESERVE, and to say that a reservation is over. */
const ANSWER_MS = 5000;
const MAX_MS = 600_000;

/** Ends the processes that a forker has handed over under a given-up id. */
type Kill = (hosted: HostedProcess) => void;

class Reserved implements Reservation {
  readonly id: string;
  readonly identity: Identity | undefined;
  readonly adopted: Promise<HostedProcess>;
  /** The keeper accepts the id from now on. */
  readonly accepted = Promise.withResolvers<void>();
  readonly #hosted = Promise.withResolvers<HostedProcess>();
  readonly #release: () => void;
  readonly #timer: NodeJS.Timeout;
  #isOpen = true;

  constructor({ id, identity }: AdoptSpec, ms: number, release: () => void) {
    this.id = id;
    this.identity = identity;
    this.adopted = this.#hosted.promise;
    this.#release = release;
    // The caller may look at either later, or never.
    this.adopted.catch(ignore);
    this.accepted.promise.catch(ignore);
    const late = new StartFailure('the process keeper does not say what became of the process', 126);
    this.#timer = setTimeout(() => this.giveUp(late), ms + ANSWER_MS).unref();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  fulfil(hosted: HostedProcess): void {
    this.#settle(() => this.#hosted.resolve(hosted));
  }

  fail(failure: StartFailure): void {
    this.#settle(() => this.#hosted.reject(failure));
    this.accepted.reject(failure);
  }

  giveUp(failure: StartFailure): void {
    if (!this.#isOpen) return;
    this.fail(failure);
    this.#release();
  }

  [Symbol.dispose](): void {
    this.giveUp(new StartFailure('the reserved id was given up', 126));
  }

  #settle(settle: () => void): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    settle();
  }
}

/** Ids that the keeper accepts from forkers. */
export class KeeperReservations {
  readonly #kill: Kill;
  /** One that was given up stays until the keeper has said what became of it. */
  readonly #reserved = new Map<string, Reserved>();

  constructor(kill: Kill) {
    this.#kill = kill;
  }

  ids(): Iterable<string> {
    return this.#reserved.keys();
  }

  /** Sends RESERVE and waits for its answer. @throws StartFailure if it is refused; SandboxError `unavailable` */
  async reserve(
    connection: KeeperConnection,
    forker: string,
    spec: AdoptSpec,
    { ms }: { readonly ms: number },
  ): Promise<Reservation> {
    const bounded = Math.min(MAX_MS, Math.max(1, Math.ceil(ms)));
    const release = (): void => connection.send(new FrameWriter(REQUEST.release).text(spec.id));
    const reserved = new Reserved(spec, bounded, release);
    this.#reserved.set(spec.id, reserved);
    connection.send(reserveFrame(forker, spec, bounded));
    if ((await waitFor(reserved.accepted.promise, { ms: ANSWER_MS })) !== 'timeout') return reserved;
    reserved[Symbol.dispose]();
    return refuse(new SilentKeeper('its socket'));
  }

  /** RESERVED. */
  accepted(id: string): void {
    this.#reserved.get(id)?.accepted.resolve();
  }

  /** FAILED; answers whether the id was reserved. */
  failed({ id, errno }: Failed): boolean {
    const reserved = this.#reserved.get(id);
    this.#reserved.delete(id);
    reserved?.fail(adoptionFailure(errno));
    return reserved !== undefined;
  }

  /** The first STATE of a process. */
  adopted(hosted: HostedProcess): void {
    const reserved = this.#reserved.get(hosted.id);
    if (reserved === undefined) return;
    this.#reserved.delete(hosted.id);
    if (reserved.isOpen) {
      reserved.fulfil(hosted);
      return;
    }
    discardAtEnd(hosted);
    this.#kill(hosted);
  }

  /** The connection ended: fails all, and answers what the keeper may have taken over without saying so. */
  failAll(): Pick<AdoptSpec, 'id' | 'identity'>[] {
    const all = [...this.#reserved.values()];
    this.#reserved.clear();
    for (const reserved of all) reserved.fail(new StartFailure('the process keeper ended', 126));
    return all;
  }
}

function reserveFrame(forker: string, { id, stdin, outputMaxBytes, record }: AdoptSpec, ms: number): FrameWriter {
  return new FrameWriter(REQUEST.reserve)
    .text(forker)
    .text(id)
    .flag(stdin === 'pipe')
    .u64(outputMaxBytes)
    .u32(segmentBytesOf(outputMaxBytes))
    .u32(ms)
    .text(record ?? '');
}
