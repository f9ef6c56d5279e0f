import { readlinkSync } from 'node:fs';
import type { ExecStatus } from '../exec/exec-status.ts';
import type { SessionRecord } from './session-record.ts';

export type SessionStatus = 'active' | 'idle' | 'exited' | 'lost';

/** `isBusy` reads /proc, so it is asked only for an open session. */
export function statusOf({ state }: SessionRecord, isBusy: () => boolean): SessionStatus {
  if (state !== 'open') return state === 'lost' ? 'lost' : 'exited';
  return isBusy() ? 'active' : 'idle';
}

/** The state of the foreground program as a status of `exec`. */
export function execStatusOf(session: {
  readonly open: boolean;
  readonly busy: boolean;
  readonly run?: object | undefined;
}): ExecStatus {
  if (session.run !== undefined) return 'running';
  if (!session.open) return 'terminated';
  return session.busy ? 'running' : 'completed';
}

/**
 * The working directory of the shell. The record keeps the last one that was seen, for where the system does not tell:
 * outside Linux, after the end of the shell, or for a shell of another account.
 */
export function updateWorkingDir(record: SessionRecord, pid: number | null): string {
  try {
    if (pid !== null) record.workingDir = readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // The directory of the record stays.
  }
  return record.workingDir;
}
