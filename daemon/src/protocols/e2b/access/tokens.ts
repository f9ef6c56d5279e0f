import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { SandboxRecord } from '../state/sandboxes.ts';

export type Purpose = 'envd' | 'traffic';

/** A file operation that a signature names. */
export interface SignedOperation {
  readonly operation: 'read' | 'write';
  /** As they are in the query. */
  readonly path: string;
  readonly user: string;
  readonly signature: string;
  /** Seconds since 1970; undefined: none. */
  readonly expiration: string | undefined;
}

/** The token of a sandbox for the holder of a key: it ends with the sandbox, and with that key. */
export function tokenOf({ id, nonce }: SandboxRecord, purpose: Purpose, keyId: string): string {
  const text = createHmac('sha256', nonce).update(`${purpose}\0${id}\0${keyId}`).digest('base64url');
  return `${purpose === 'envd' ? 'ea' : 'et'}_${text}`;
}

export function isToken(given: string | undefined, expected: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(expected));
}

/** A signature as E2B's clients make it (`v1_`, SHA-256 in base64 without padding). */
export function isSignature(
  { operation, path, user, signature, expiration }: SignedOperation,
  token: string,
  nowSeconds: number,
): boolean {
  if (expiration !== undefined && !(/^\d{1,15}$/.test(expiration) && Number(expiration) > nowSeconds)) return false;
  const raw = [path, operation, user, token, ...(expiration === undefined ? [] : [expiration])].join(':');
  const expected = `v1_${createHash('sha256').update(raw).digest('base64').split('=', 1)[0]}`;
  return isToken(signature, expected);
}

/** Digests have one length, so that the comparison takes the same time for every text. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
