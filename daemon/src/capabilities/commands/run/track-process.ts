import type { Identity } from '../../../core/account/identity.ts';
import type { Core } from '../../../core/core.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { CommandStore } from '../store/command-store.ts';
import { Command, type CommandRecord } from './command.ts';
import { recordEnd } from './command-end.ts';
import { HardTimeout } from './deadlines.ts';

/**
 * The command of a process that was started, now or by an earlier daemon: its end is recorded when it comes, and its
 * hard timeout, counted from its start, is armed; one that is over already fires at once.
 */
export function trackProcess(
  core: Core,
  store: CommandStore,
  record: CommandRecord,
  process: HostedProcess,
  identity: Identity | undefined,
): Command {
  let timer: HardTimeout | undefined;
  let firedAt: number | undefined;
  const ended = process.ended.then((end) => {
    timer?.commandEnded();
    // It ended by itself, and this process, which stood still, heard of it after its timer.
    if (firedAt !== undefined && end.endedAt.getTime() < firedAt) store.update(command, { timedOut: false });
    recordEnd(core, store, command, end);
    // After the answer to whoever waits for the end: it wakes the keeper.
    setImmediate(() => process.acknowledgeExit());
    if (end.lost) endWhatIsLeft(core, command);
  });
  const running = { ...record, status: 'running', pid: process.pid } as const;
  const command = new Command(running, process.output, { ended, identity, process });
  const left = remaining(record);
  if (left !== undefined) {
    timer = new HardTimeout(left, {
      onFire: () => {
        firedAt = Date.now();
        store.update(command, { timedOut: true });
      },
      kill: async (signal) => (command.target ? core.processes.signal([command.target], signal) : 0),
    });
  }
  return command;
}

/**
 * The keeper that held it is gone. The host looks for what is left by its mark, which in a container root may not read of
 * another account's processes: the account itself may.
 */
function endWhatIsLeft({ processes, logger }: Core, { target, id }: Command): void {
  if (target === undefined) return;
  processes.signal([target], 'SIGKILL').catch((error: unknown) => {
    logger.warn({ command: id, error }, 'what was left of a lost command could not be ended');
  });
}

/** Seconds until the hard timeout; never more than the whole of it, should the clock have been set back. */
function remaining({ hardTimeout, startedAt }: CommandRecord): number | undefined {
  if (!hardTimeout) return undefined;
  const passed = (Date.now() - Date.parse(startedAt)) / 1000;
  return Math.min(Math.max(hardTimeout - passed, 0), hardTimeout);
}
