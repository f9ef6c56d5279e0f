import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { AgeClock } from '../../../core/clock/age-clock.ts';
import { KeptJson } from '../../../core/records/kept-json.ts';
import type { RuntimeSpace } from '../../../core/records/runtime-space.ts';
import { sandboxIdOfHost } from '../../../http/protocols/sandbox-id.ts';

const FILE = 'sandboxes.json';
/** Sandboxes that may be alive at once in the shared mode. */
const MAX_SANDBOXES = 1000;
/** Seconds for which a sandbox without a timeout of its own lives, and the longest that a client may ask for. */
const DEFAULT_SECONDS = 300;
const MAX_SECONDS = 30 * 86_400;
/** Keys whose holders have tokens of a sandbox; the oldest lose theirs. */
const MAX_KEYS = 100;
/** Milliseconds of difference from which the wall clock counts as set. */
const CLOCK_SET_MS = 1000;

/** A sandbox that a client has created. */
export interface SandboxRecord {
  readonly id: string;
  readonly template: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly envVars: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  readonly startedAt: string;
  /** Random; its tokens are made from it. */
  readonly nonce: string;
  /** Ids of the keys whose holders got tokens, the newest last. */
  readonly keys: readonly string[];
  /** By the age clock: when it was created or connected to last, and when it ends. */
  readonly usedTick: number;
  readonly endTick: number;
  /** The end as the wall clock showed it when it was set, in milliseconds since 1970. */
  readonly endAt: number;
}

/** What `/init` has set; it outlives sandboxes. */
export interface InitRecord {
  readonly envVars: Readonly<Record<string, string>>;
  readonly user: string | null;
  readonly workdir: string | null;
  readonly accessToken: string | null;
}

interface Kept {
  readonly sandboxes: readonly SandboxRecord[];
  readonly init: InitRecord;
}

interface CreateTerms extends Pick<SandboxRecord, 'template' | 'metadata' | 'envVars' | 'idempotencyKey'> {
  readonly timeoutSeconds: number | undefined;
}

export interface SandboxTerms {
  readonly sandboxId: string | undefined;
  readonly protocolShared: boolean;
}

const NO_INIT: InitRecord = { envVars: {}, user: null, workdir: null, accessToken: null };

/** Whether a daemon before this one left sandboxes, whose time has to end. */
export function hasSandboxes(directory: string): boolean {
  return existsSync(join(directory, FILE));
}

/** The sandboxes that are alive, on disk too. */
export class Sandboxes implements Disposable {
  readonly baseId: string;
  readonly #space: RuntimeSpace;
  readonly #clock: AgeClock;
  readonly #isShared: boolean;
  readonly #kept: KeptJson<Kept>;
  readonly #ended: (sandbox: SandboxRecord) => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param ended called for each sandbox whose time is over */
  constructor(
    directory: string,
    { space, clock }: { readonly space: RuntimeSpace; readonly clock: AgeClock },
    { sandboxId, protocolShared }: SandboxTerms,
    ended: (sandbox: SandboxRecord) => void,
  ) {
    this.baseId = sandboxId ?? sandboxIdOfHost();
    this.#space = space;
    this.#clock = clock;
    this.#isShared = protocolShared;
    this.#ended = ended;
    this.#kept = new KeptJson<Kept>(space, join(directory, FILE), { sandboxes: [], init: NO_INIT });
    this.#watchEnds();
  }

  get init(): InitRecord {
    return this.#kept.value.init;
  }

  /** @throws SandboxError `disk_full` */
  setInit(init: InitRecord): void {
    this.#write({ init });
  }

  list(): readonly SandboxRecord[] {
    return this.#kept.value.sandboxes;
  }

  find(id: string): SandboxRecord | undefined {
    return this.list().find((sandbox) => sandbox.id === id);
  }

  /** @throws SandboxError `not_found` */
  get(id: string): SandboxRecord {
    const sandbox = this.find(id);
    if (sandbox) return sandbox;
    throw new SandboxError('not_found', `sandbox ${id} was not found`);
  }

  /** The only sandbox, for calls that name none. */
  get only(): SandboxRecord | undefined {
    return this.list().length === 1 ? this.list()[0] : undefined;
  }

  /** @throws SandboxError `capacity` while there is another one, unless each create has an id of its own */
  create({ timeoutSeconds, ...terms }: CreateTerms): SandboxRecord {
    const { idempotencyKey } = terms;
    const same = idempotencyKey === null ? undefined : this.list().find((one) => one.idempotencyKey === idempotencyKey);
    if (same) return same;
    const [alive] = this.list();
    if (alive && !this.#isShared) {
      throw new SandboxError('capacity', `sandbox ${alive.id} is alive: this service is one sandbox`, {
        hint: 'connect to it, kill it, or set SVC_PROTOCOL_SHARED=true',
      });
    }
    if (this.list().length >= MAX_SANDBOXES) throw new SandboxError('capacity', `${MAX_SANDBOXES} sandboxes are alive`);
    const { at, tick } = this.#clock.moment();
    const lifeMs = 1000 * boundedSeconds(timeoutSeconds);
    const sandbox: SandboxRecord = {
      ...terms,
      id: this.#isShared ? `i${randomBytes(10).toString('hex')}` : this.baseId,
      startedAt: at.toISOString(),
      nonce: randomBytes(32).toString('base64url'),
      keys: [],
      usedTick: tick,
      endTick: tick + lifeMs,
      endAt: at.getTime() + lifeMs,
    };
    this.#put(sandbox);
    return sandbox;
  }

  /** Ends so many seconds from now; with `isExtension`, only if that is later than before. */
  setTimeout(id: string, seconds: number | undefined, { isExtension = false } = {}): SandboxRecord {
    const sandbox = this.get(id);
    const { at, tick: now } = this.#clock.moment();
    const lifeMs = 1000 * boundedSeconds(seconds);
    const keepsEnd = isExtension && sandbox.endTick >= now + lifeMs;
    const end = keepsEnd ? {} : { endTick: now + lifeMs, endAt: at.getTime() + lifeMs };
    const changed = { ...sandbox, ...end, usedTick: isExtension ? now : sandbox.usedTick };
    this.#put(changed);
    return changed;
  }

  /** From now on the tokens of a sandbox for this key are good. @throws SandboxError `not_found`, `disk_full` */
  giveTo(id: string, keyId: string): SandboxRecord {
    const sandbox = this.get(id);
    if (sandbox.keys.includes(keyId)) return sandbox;
    const given = { ...sandbox, keys: [...sandbox.keys, keyId].slice(-MAX_KEYS) };
    this.#put(given);
    return given;
  }

  /** Its tokens are no longer good. @throws SandboxError `not_found`, `disk_full` */
  remove(id: string): SandboxRecord {
    const sandbox = this.get(id);
    this.#write({ sandboxes: this.list().filter((one) => one.id !== id) });
    this.#watchEnds();
    return sandbox;
  }

  /** When it ends, as the wall clock shows it; the same moment each time, unless that clock was set. */
  endOf({ endTick, endAt }: SandboxRecord): Date {
    const { at, tick } = this.#clock.moment();
    const shown = at.getTime() + endTick - tick;
    return new Date(Math.abs(shown - endAt) < CLOCK_SET_MS ? endAt : shown);
  }

  /** Seconds since it was created or connected to last. */
  unusedSeconds({ usedTick }: SandboxRecord): number {
    return (this.#clock.now() - usedTick) / 1000;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #put(sandbox: SandboxRecord): void {
    this.#write({ sandboxes: [...this.list().filter(({ id }) => id !== sandbox.id), sandbox] });
    this.#watchEnds();
  }

  #write(changed: Partial<Kept>): void {
    this.#space.requireRoom();
    this.#kept.set({ ...this.#kept.value, ...changed });
  }

  #watchEnds(): void {
    clearTimeout(this.#timer);
    const first = Math.min(...this.list().map(({ endTick }) => endTick));
    if (!Number.isFinite(first)) return;
    const ms = Math.min(Math.max(0, first - this.#clock.now()), 60_000);
    this.#timer = setTimeout(() => this.#endOverdue(), ms).unref();
  }

  #endOverdue(): void {
    const now = this.#clock.now();
    for (const sandbox of this.list().filter(({ endTick }) => endTick <= now)) this.#ended(sandbox);
    this.#watchEnds();
  }
}

function boundedSeconds(seconds = DEFAULT_SECONDS): number {
  return Math.min(Math.max(0, seconds), MAX_SECONDS);
}
