import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which secret files a daemon of the runtime directory has read before: without one of these a restart keeps the service
 * closed, while a first start with a wrong path fails. A record is an empty file, named by the digest of the path.
 */
export function wasSeen(runtimeDir: string, path: string): boolean {
  return existsSync(recordOf(runtimeDir, path));
}

/** @throws the system's error; the next start then fails without the secret file, and opens nothing */
export function noteSeen(runtimeDir: string, path: string): void {
  if (!wasSeen(runtimeDir, path)) writeFileSync(recordOf(runtimeDir, path), '', { mode: 0o600 });
}

function recordOf(runtimeDir: string, path: string): string {
  return join(runtimeDir, `secret-${createHash('sha256').update(path).digest('hex').slice(0, 32)}.seen`);
}
