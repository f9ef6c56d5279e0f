import { type Identity, lookUpIdentity } from '../../../core/account/identity.ts';
import type { Core } from '../../../core/core.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import type { HostedProcess, ProcessTarget, Recovered } from '../../../core/process/process-host.ts';
import { Command, type CommandRecord } from '../run/command.ts';
import { trackProcess } from '../run/track-process.ts';
import type { CommandStore } from './command-store.ts';

/**
 * Takes over from an earlier daemon: restores records and output, and tracks the processes that the process host still
 * holds. A command whose process it does not hold is lost, and what is left of it is ended.
 */
export async function recover(
  core: Core,
  store: CommandStore,
  records: ReadonlyMap<string, CommandRecord>,
): Promise<void> {
  const ends = new Map(
    [...records].map(([id, { stdoutBytes, stderrBytes }]) => [id, { stdout: stdoutBytes, stderr: stderrBytes }]),
  );
  const recovered = core.processes.recover(ends, isCommandId);
  const left = [
    ...[...records.values()].flatMap((record) => restore(core, store, record, recovered)),
    ...[...recovered.processes.values()].filter(({ id }) => !records.has(id)).map(abandon),
  ];
  if (left.length > 0) {
    const ended = await core.processes.signal(left, 'SIGKILL');
    core.logger.warn(
      { commands: left.length, processes: ended },
      'commands of an earlier daemon are lost; what was left of them was ended',
    );
  }
  for (const session of store.sessions.list()) {
    if (session.implicit && store.ofSession(session.id).length === 0) store.removeSession(session.id);
  }
  store.compact();
}

/** Ids of commands are UUIDs; those of other owners begin with a name. */
function isCommandId(id: string): boolean {
  return !/^pty-/.test(id);
}

/** Adds the command of a record; the answer names the processes to end, where the command is lost. */
function restore(core: Core, store: CommandStore, record: CommandRecord, recovered: Recovered): ProcessTarget[] {
  const { id, pid, user, status } = record;
  const wasRunning = status === 'running' || status === 'pending';
  const identity = identityOf(user);
  const process = recovered.processes.get(id);
  if (wasRunning && process !== undefined) {
    store.add(trackProcess(core, store, record, process, identity));
    return [];
  }
  process?.acknowledgeExit();
  const output = recovered.outputs.get(id) ?? emptyLog(core, id);
  const endedAt = new Date().toISOString();
  const lost = { status: 'lost', endedAt, message: 'the daemon ended before the command did' } as const;
  store.add(new Command(wasRunning ? { ...record, ...lost } : record, output, { identity }));
  return wasRunning ? [{ id, pid: pid ?? 0, running: false, ...(identity && { identity }) }] : [];
}

/** A process without a record: drops its output once it has ended. */
function abandon(process: HostedProcess): ProcessTarget {
  void process.ended.then(() => process.output.remove()).then(() => process.acknowledgeExit());
  return { id: process.id, pid: process.pid, running: false };
}

function emptyLog(core: Core, id: string): OutputLog {
  const log = new OutputLog(core.runtime.path, id);
  log.seal();
  return log;
}

function identityOf(user: string | null): Identity | undefined {
  try {
    return user === null ? undefined : lookUpIdentity(user);
  } catch {
    return undefined;
  }
}
