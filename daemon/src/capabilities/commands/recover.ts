import type { Core } from '../../core/core.ts';
import { lookUpIdentity } from '../../core/identity.ts';
import { OutputLog } from '../../core/output-log.ts';
import type { ProcessTarget } from '../../core/process/process-host.ts';
import { Command, type CommandRecord } from './command.ts';
import type { CommandStore } from './command-store.ts';

/**
 * Takes up what an earlier daemon left: records and output are found again; what was running is lost, and what is
 * left of it is ended.
 */
export async function recover(
  core: Core,
  store: CommandStore,
  records: ReadonlyMap<string, CommandRecord>,
): Promise<void> {
  const ends = new Map(
    [...records].map(([id, { stdoutBytes, stderrBytes }]) => [id, { stdout: stdoutBytes, stderr: stderrBytes }]),
  );
  const logs = core.processes.recover(ends);
  const now = new Date().toISOString();
  const left: ProcessTarget[] = [];
  for (const record of records.values()) {
    const { id, pid, user, status } = record;
    const wasRunning = status === 'running' || status === 'pending';
    const output = logs.get(id) ?? emptyLog(core, id);
    const lost = { status: 'lost', endedAt: now, message: 'the daemon ended before the command did' } as const;
    const identity = identityOf(user);
    store.add(new Command(wasRunning ? { ...record, ...lost } : record, output, { identity }));
    if (wasRunning) left.push({ id, pid: pid ?? 0, running: false, ...(identity && { identity }) });
  }
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

function emptyLog(core: Core, id: string): OutputLog {
  const log = new OutputLog(core.runtime.path, id);
  log.seal();
  return log;
}

function identityOf(user: string | null): ReturnType<typeof lookUpIdentity> | undefined {
  try {
    return user === null ? undefined : lookUpIdentity(user);
  } catch {
    return undefined;
  }
}
