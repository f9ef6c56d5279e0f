import { unlinkSync } from 'node:fs';

/** Unlinks a file that may be gone already. A failure is ignored: retention removes the file after a restart. */
export function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Retention removes what is left.
  }
}
