import type { Core } from '../../../core/core.ts';
import { endProcesses } from '../../../core/process/end-processes.ts';
import type { ProcessEnd } from '../../../core/process/process-host.ts';
import type { CommandStore } from '../store/command-store.ts';
import { type Command, type CommandRecord, type CommandStatus, stdinOf } from './command.ts';
import { noteEnded } from './command-events.ts';

/** Milliseconds between SIGTERM and SIGKILL after a hard timeout, and when a session is closed. */
export const KILL_GRACE_MS = 2000;

/** Ends all processes of the commands, also those that they left behind; resolves when every end is recorded. */
export async function endCommands({ processes }: Core, commands: readonly Command[], graceMs: number): Promise<void> {
  await endProcesses(processes, () => commands.flatMap(({ target }) => target ?? []), { graceMs });
  await Promise.all(commands.map(({ ended }) => ended));
}

/** Records how a command ended; answers whether that is in the journal. */
export function recordEnd(core: Core, store: CommandStore, command: Command, end: ProcessEnd): boolean {
  const { metrics, clock } = core;
  const stdin = command.process && stdinOf(command.process);
  command.releaseProcess();
  const status = statusOf(end, command.record.timedOut);
  const isWritten = store.update(command, {
    status,
    exitCode: end.signal === null ? end.exitCode : -1,
    signal: end.signal,
    background: end.background,
    ...endByGuard(command.record, end),
    endedAt: end.endedAt.toISOString(),
    endedTick: clock.now(),
    stdoutBytes: command.output.stdout.end,
    stderrBytes: command.output.stderr.end,
    ...stdin,
    ...(end.lost && { message: 'the process keeper ended before the command did' }),
  });
  noteEnded(core, command.record);
  const bytes = command.output.stdout.end + command.output.stderr.end;
  metrics.commandOutputBytes.inc(bytes);
  metrics.commandDroppedBytes.inc(Math.max(0, bytes - command.output.retainedBytes));
  metrics.commands.inc({ status });
  metrics.commandSeconds.observe(secondsOf(command.record, end));
  return isWritten;
}

/** What the memory guard has ended counts as killed by the limit, unless it had ended by itself before. */
function endByGuard({ guardedProgram }: CommandRecord, { signal, usage }: ProcessEnd): Partial<CommandRecord> {
  if (guardedProgram === undefined) return { usage };
  if (signal !== 'SIGKILL') return { usage, guardedProgram: undefined };
  return { usage: usage && { ...usage, oomKilled: true, oomProcess: guardedProgram } };
}

/** By the wall clock of the host, but not longer than this daemon knows: it may have been set in between. */
function secondsOf({ startedAt, startedTick, endedTick }: CommandRecord, { endedAt }: ProcessEnd): number {
  const shown = endedAt.getTime() - Date.parse(startedAt);
  return Math.min(Math.max(0, shown), (endedTick ?? startedTick) - startedTick) / 1000;
}

function statusOf({ signal, lost }: ProcessEnd, timedOut: boolean): CommandStatus {
  if (lost) return 'lost';
  if (timedOut) return 'timed_out';
  return signal === null ? 'completed' : 'killed';
}
