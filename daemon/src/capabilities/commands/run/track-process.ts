import { LongTimer } from '@sandbox/api/wait.ts';
import type { Identity } from '../../../core/account/identity.ts';
import type { Core } from '../../../core/core.ts';
import { endProcesses } from '../../../core/process/end-processes.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { CommandStore } from '../store/command-store.ts';
import { Command, type CommandRecord, stdinOf } from './command.ts';
import { KILL_GRACE_MS, recordEnd } from './command-end.ts';
import { noteInput } from './command-events.ts';

/**
 * The command of a process that this daemon or an earlier one started: its end is recorded when it comes, and its hard
 * timeout, counted from its start, is armed; one that is over already fires at once.
 */
export function trackProcess(
  core: Core,
  store: CommandStore,
  record: CommandRecord,
  process: HostedProcess,
  identity: Identity | undefined,
): Command {
  let timeout: LongTimer | undefined;
  let firedAt: number | undefined;
  const ended = process.ended.then((end) => {
    timeout?.[Symbol.dispose]();
    // It ended by itself, and this daemon, which stood still, heard of it after its timer.
    if (firedAt !== undefined && end.endedAt.getTime() < firedAt) store.update(command, { timedOut: false });
    const acknowledge = (): void => process.acknowledgeExit();
    // After the answer to the calls that wait for the end: it wakes the keeper. Until then the keeper knows the end.
    if (recordEnd(core, store, command, end)) setImmediate(acknowledge);
    else store.onceWritten(acknowledge);
    if (end.lost) endLost(core, command);
  });
  const running = { ...record, status: 'running', pid: process.pid, ...stdinOf(process) } as const;
  const command = new Command(running, process.output, {
    ended,
    identity,
    process,
    onInput: (now, from) => noteInput(core, now, from),
  });
  const seconds = secondsLeft(core, record);
  if (seconds !== undefined) {
    timeout = new LongTimer(seconds * 1000, () => {
      firedAt = Date.now();
      store.update(command, { timedOut: true });
      endOverdue(core, command);
    });
  }
  return command;
}

/** No call waits for this, so that looking for what is left once, after the grace, is enough. */
function endOverdue({ processes, logger }: Core, command: Command): void {
  const terms = { graceMs: KILL_GRACE_MS, lookEveryMs: KILL_GRACE_MS };
  endProcesses(processes, () => (command.target ? [command.target] : []), terms).catch((error: unknown) => {
    logger.error({ command: command.id, err: error }, 'a command could not be ended at its hard timeout');
  });
}

/**
 * Ends what is left of a command whose keeper is gone. The host looks for it by its mark in the environment, which root
 * in a container may not read of another account's processes, while that account may.
 */
function endLost({ processes, logger }: Core, { target, id }: Command): void {
  if (target === undefined) return;
  processes.signal([target], 'SIGKILL').catch((error: unknown) => {
    logger.warn({ command: id, error }, 'what was left of a lost command could not be ended');
  });
}

/** Seconds until the hard timeout. */
function secondsLeft({ clock }: Core, { hardTimeout, startedTick }: CommandRecord): number | undefined {
  if (!hardTimeout) return undefined;
  return Math.max(hardTimeout - clock.since(startedTick) / 1000, 0);
}
