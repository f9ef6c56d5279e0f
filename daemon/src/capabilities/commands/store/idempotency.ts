import { createHash } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** Milliseconds that a key stands for the command it started. */
export const IDEMPOTENCY_MS = 10 * 60 * 1000;

interface Known {
  readonly commandId: string;
  readonly bodyHash: string;
  readonly expiresAt: number;
}

/** Which command a key has started, so that a repeated call does not start a second one. */
export class IdempotencyKeys {
  readonly #known = new Map<string, Known>();

  /**
   * The id of the command that this key started in the last 10 minutes.
   * @throws SandboxError `conflict` where the key came with another body
   */
  find(key: string, bodyHash: string, now: number = Date.now()): string | undefined {
    const known = this.#known.get(key);
    if (!known || known.expiresAt <= now) return undefined;
    if (known.bodyHash !== bodyHash) {
      throw new SandboxError('conflict', `idempotency_key was used with another request: ${key}`, {
        hint: 'use a new key for another command',
      });
    }
    return known.commandId;
  }

  remember(key: string, bodyHash: string, commandId: string, startedAt: number = Date.now()): void {
    this.#known.set(key, { commandId, bodyHash, expiresAt: startedAt + IDEMPOTENCY_MS });
  }

  forgetExpired(now: number = Date.now()): void {
    for (const [key, { expiresAt }] of this.#known) if (expiresAt <= now) this.#known.delete(key);
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
