import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { AccessTerms } from '../../../core/access/late-binding.ts';
import { permits } from '../../../core/access/scopes.ts';
import type { SandboxRecord } from '../state/sandboxes.ts';

type Purpose = 'envd' | 'traffic';

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

/** The token of a sandbox: it ends with the sandbox, and with the key of its holder. Undefined: that key has ended. */
export function tokenOf(
  { id, nonce, holder }: SandboxRecord,
  purpose: Purpose,
  terms: AccessTerms,
): string | undefined {
  const secret = secretOf(terms, holder ?? null);
  if (secret === undefined) return undefined;
  const text = createHmac('sha256', `${secret}\0${nonce}`).update(`${purpose}\0${id}`).digest('base64url');
  return `${purpose === 'envd' ? 'ea' : 'et'}_${text}`;
}

/** A key of that name with other scopes has another id, and opens no protocol unless it is good for everything. */
function secretOf({ apiKey, named }: AccessTerms, holder: string | null): string | undefined {
  if (holder === null) return apiKey ?? (named === undefined ? '' : undefined);
  const key = named?.keys.find(({ name }) => name === holder);
  return key && permits(key.credential, 'all') ? `${key.sha256}\0${key.id}` : undefined;
}

export function isToken(given: string | undefined, expected: string | undefined): boolean {
  return given !== undefined && expected !== undefined && timingSafeEqual(digest(given), digest(expected));
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
