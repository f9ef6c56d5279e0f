import { hkdfSync } from 'node:crypto';

/** What admitted a request, and in whose name a ticket or a cookie was made. */
export interface Credential {
  /**
   * Opaque ids of the key, and of the ticket and the cookie that stand for it. Where one of them is withdrawn, so is the
   * credential; none of them opens anything.
   */
  readonly ids: readonly string[];
  /** The name of the key, if it has one. */
  readonly name?: string;
  /** The scopes of the key; undefined: it is good for everything. */
  readonly scopes?: readonly string[];
}

/** The credential of every request to a service that has no key. */
export const OPEN: Credential = { ids: ['open'] };

/** What another credential than a key opens a request as: the key that it was given to. Undefined: it opens nothing. */
export type OwnAdmission = Credential | 'public' | undefined;

/** Names the single key, and reveals nothing of it. */
export function keyIdOf(apiKey: string): string {
  const id = Buffer.from(hkdfSync('sha256', apiKey, '', 'credential id', 32));
  return `k.${id.toString('base64url').slice(0, 22)}`;
}

/** The id of the key that a credential is, or stands for. */
export function keyIdIn({ ids }: Credential): string {
  return ids.at(-1) ?? '';
}
