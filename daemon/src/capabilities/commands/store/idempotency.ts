import { createHash } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { AgeClock } from '../../../core/clock/age-clock.ts';
import type { CommandRecord } from '../run/command.ts';

/** Milliseconds that a key stands for the command it started. */
export const IDEMPOTENCY_MS = 10 * 60 * 1000;

/** Bytes of memory that the records of keyed commands may take: they stay for the whole time of their keys. */
const KEPT_BYTES_MAX = 128 * 1024 ** 2;

/** Bytes of memory of a record without the text of its command. */
const RECORD_BYTES = 4096;

type KeyedCommand = Pick<CommandRecord, 'id' | 'command' | 'startedTick'>;

interface Known {
  readonly commandId: string;
  readonly bytes: number;
  readonly bodyHash: string;
  /** Tick. */
  readonly expiresAt: number;
}

/** Which command a key has started, so that a repeated call does not start a second one. */
export class IdempotencyKeys {
  readonly #clock: AgeClock;
  readonly #known = new Map<string, Known>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(clock: AgeClock, maxBytes: number = KEPT_BYTES_MAX) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  /**
   * The id of the command that this key started in the last 10 minutes.
   * @param now tick, as in the other calls
   * @throws SandboxError `conflict` if the key came with another body
   */
  find(key: string, bodyHash: string, now: number = this.#clock.now()): string | undefined {
    const known = this.#known.get(key);
    if (!known || known.expiresAt <= now) return undefined;
    if (known.bodyHash !== bodyHash) {
      throw new SandboxError('conflict', `idempotency_key was used with another request: ${key}`, {
        hint: 'use a new key for another command',
      });
    }
    return known.commandId;
  }

  /** @throws SandboxError `capacity` if the records of keyed commands take all the memory they may */
  requireRoom(now: number = this.#clock.now()): void {
    if (this.#bytes < this.#maxBytes) return;
    this.forgetExpired(now);
    if (this.#bytes < this.#maxBytes) return;
    const kept = `${this.#known.size} commands with an idempotency_key started in the last ${IDEMPOTENCY_MS / 60_000} minutes`;
    throw new SandboxError('capacity', `${kept}: the ceiling of their memory is reached`, {
      hint: 'wait, or send commands that need no repetition without idempotency_key',
    });
  }

  remember(key: string, bodyHash: string, { id, command, startedTick }: KeyedCommand): void {
    this.#forget(key);
    const bytes = RECORD_BYTES + command.length;
    this.#known.set(key, { commandId: id, bodyHash, bytes, expiresAt: startedTick + IDEMPOTENCY_MS });
    this.#bytes += bytes;
  }

  forgetExpired(now: number = this.#clock.now()): void {
    for (const [key, { expiresAt }] of this.#known) if (expiresAt <= now) this.#forget(key);
  }

  #forget(key: string): void {
    this.#bytes -= this.#known.get(key)?.bytes ?? 0;
    this.#known.delete(key);
  }
}

/** SHA-256 of the fields, in base64; their order and undefined ones make no difference. */
export function hashOf(request: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(request)))
    .digest('base64');
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}
