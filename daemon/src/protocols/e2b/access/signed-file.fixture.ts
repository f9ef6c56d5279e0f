import { createHash } from 'node:crypto';

/** The target of a signed URL, as E2B's clients make it. */
export function signedFile(
  path: string,
  operation: string,
  token: string,
  { user = '', expiration = '' } = {},
): string {
  const raw = [path, operation, user, token, ...(expiration === '' ? [] : [expiration])].join(':');
  const signature = `v1_${createHash('sha256').update(raw).digest('base64').replace(/=+$/, '')}`;
  const query = new URLSearchParams({ path, signature });
  if (user !== '') query.set('username', user);
  if (expiration !== '') query.set('signature_expiration', expiration);
  return `/files?${query}`;
}
