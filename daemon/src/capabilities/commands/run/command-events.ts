import type { Core } from '../../../core/core.ts';
import type { CommandRecord } from './command.ts';

type Recording = Pick<Core, 'recorder'>;

/** Reports that a command was begun by the request of the caller. */
export function noteBegun({ recorder }: Recording, record: CommandRecord, cwd: string | undefined): void {
  if (!recorder.isOn) return;
  const { command, pid, user, inputBytes, hardTimeout } = record;
  recorder.note('command.begun', refsOf(record), { command, cwd, user, pid, inputBytes, hardTimeout });
}

/** Reports a command of an earlier daemon that runs: its begin may be missing, if that daemon was killed. */
export function noteFound({ recorder }: Recording, record: CommandRecord): void {
  const { command, pid, user, startedAt } = record;
  recorder.observe('command.found', refsOf(record), { command, user, pid, startedAt });
}

/** Reports bytes of its stdin, which the process host has taken. */
export function noteInput({ recorder }: Recording, { id, stdinBytes: to }: CommandRecord, from: number): void {
  recorder.noteRange('command.input', ['commandId', id], from, to);
}

/** Reports a signal that is about to be sent, so that it stands before the end. */
export function noteSignalled({ recorder }: Recording, record: CommandRecord, signal: string): void {
  recorder.note('command.signalled', refsOf(record), { signal });
}

export function noteEnded({ recorder }: Recording, record: CommandRecord): void {
  if (!recorder.isOn) return;
  const { status, exitCode, signal, background, startedTick, endedAt, endedTick, stdoutBytes, stderrBytes } = record;
  recorder.observe('command.ended', refsOf(record), {
    status,
    exitCode,
    signal,
    ...(background && { background }),
    endedAt,
    durationMs: endedTick === null ? undefined : Math.max(0, Math.round(endedTick - startedTick)),
    stdoutBytes,
    stderrBytes,
    message: record.message,
  });
}

function refsOf({ id, sessionId }: CommandRecord): { commandId: string; sessionId: string | null } {
  return { commandId: id, sessionId };
}
