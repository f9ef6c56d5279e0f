import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../records/replace-file.ts';

/** Milliseconds by which the wall clock has to leave the elapsed time before it counts as set. */
const STEP_MS = 500;
/** Milliseconds between two looks for a wall clock that was set. */
const LOOK_MS = 5000;
/** CLOCK_MONOTONIC at the origin of `performance.now()`, in milliseconds. */
const BEGUN_AT = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** A moment on both clocks. */
export interface Moment {
  /** Milliseconds of the age clock. */
  readonly tick: number;
  /** What the wall clock showed. */
  readonly at: Date;
}

/** What a next daemon needs to continue the clock. */
interface Kept {
  /** The boot of the system to which `base` belongs; null if it is unknown. */
  readonly boot: string | null;
  /** Tick at which the monotonic clock of that boot was 0. */
  readonly base: number;
  /** Milliseconds by which the wall clock is ahead. */
  readonly ahead: number;
  /** A tick that had been reached. */
  readonly tick: number;
}

/**
 * The clock for ages, retention and expiry. It advances with the elapsed time alone: a wall clock that is set does not
 * move it. Its readings, ticks, are comparable between daemons of one runtime directory, so that records keep them.
 *
 * Within one boot it follows CLOCK_MONOTONIC, also over restarts of the daemon and of its container; the time for which
 * the machine is suspended does not count, as for timers. After a reboot, in another time namespace, and if the
 * system has no id of its boot, the difference of the wall clock counts once, and at least 0.
 */
export class AgeClock implements AsyncDisposable {
  readonly #file: string | undefined;
  readonly #boot: string | null;
  /** Tick at which `performance.now()` was 0. */
  readonly #origin: number;
  #ahead: number;
  #looking: NodeJS.Timeout | undefined;

  private constructor(file?: string) {
    const wall = Date.now();
    const before = file === undefined ? undefined : read(file);
    this.#file = file;
    this.#boot = file === undefined ? null : currentBoot();
    this.#ahead = before?.ahead ?? 0;
    const isSameBoot = before !== undefined && before.boot !== null && before.boot === this.#boot;
    const monotonic = performance.now() + BEGUN_AT;
    const tick = isSameBoot
      ? before.base + monotonic
      : Math.max(wall - this.#ahead, before?.tick ?? Number.NEGATIVE_INFINITY);
    this.#origin = tick - performance.now();
    this.#look();
    this.#write();
  }

  /** Continues that of an earlier daemon. A file that cannot be read or written costs the continuity alone. */
  static open(directory: string): AgeClock {
    const clock = new AgeClock(join(directory, 'clock.json'));
    clock.#looking = setInterval(() => clock.#look(), LOOK_MS).unref();
    return clock;
  }

  /** One that ends with this process. */
  static ofProcess(): AgeClock {
    return new AgeClock();
  }

  /** The tick of this moment: milliseconds, close to those since 1970 unless the wall clock was set. */
  now(): number {
    return this.#origin + performance.now();
  }

  moment(): Moment {
    return { tick: this.now(), at: new Date() };
  }

  /** Milliseconds since a tick, at least 0. */
  since(tick: number): number {
    return Math.max(0, this.now() - tick);
  }

  /**
   * The tick in a record of an earlier daemon. One that lies ahead, after a reboot with an earlier wall clock, counts as
   * this moment: an age begins at 0, so that nothing stays for longer than its whole time.
   * @param at what the wall clock showed then, for records of versions without ticks
   */
  restored(tick: number | undefined, at: Date | string): number {
    const found = tick ?? new Date(at).getTime() - this.#ahead;
    return Number.isFinite(found) ? Math.min(found, this.now()) : this.now();
  }

  /** When a moment was by the wall clock of now, so that the difference is its age also after the clock was set. */
  dateOf({ tick, at }: Moment): Date {
    this.#look();
    const isSet = Math.abs(at.getTime() - tick - this.#ahead) > STEP_MS;
    return isSet ? this.dateAt(tick) : at;
  }

  /** When the wall clock shows a tick unless it is set, to half a second. */
  dateAt(tick: number): Date {
    this.#look();
    return new Date(tick + this.#ahead);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#looking);
    this.#look();
    this.#write();
  }

  #look(): void {
    const ahead = Date.now() - this.now();
    if (Math.abs(ahead - this.#ahead) <= STEP_MS) return;
    this.#ahead = ahead;
    this.#write();
  }

  #write(): void {
    if (this.#file === undefined) return;
    const base = this.#origin - BEGUN_AT;
    const kept: Kept = { boot: this.#boot, base, ahead: this.#ahead, tick: this.now() };
    try {
      replaceFile(this.#file, JSON.stringify(kept));
    } catch {
      // The next daemon goes by the file of before, or by the wall clock.
    }
  }
}

/** Within one boot and one time namespace CLOCK_MONOTONIC continues from one process to the next. */
function currentBoot(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot} ${timeNamespace()}`;
  } catch {
    return null;
  }
}

/** Empty before Linux 5.6, which has one alone. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}

function read(file: string): Kept | undefined {
  try {
    const { boot, base, ahead, tick } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (![base, ahead, tick].every(Number.isFinite)) return undefined;
    return { boot: typeof boot === 'string' ? boot : null, base, ahead, tick } as Kept;
  } catch {
    return undefined;
  }
}
