import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Whether tests may mount file systems: in a container root may not. */
export const mayMount = process.platform === 'linux' && process.getuid?.() === 0 && triedToMount();

function triedToMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'sandboxd-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(place);
  }
}
