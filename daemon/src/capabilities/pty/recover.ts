import type { Core } from '../../core/core.ts';
import { OutputLog } from '../../core/output/output-log.ts';
import type { ProcessTarget, Recovered } from '../../core/process/process-host.ts';
import { PtySession, type SessionTools } from './session/session.ts';
import type { SessionRecord } from './session/session-record.ts';

/**
 * Restores the sessions of an earlier daemon: their history, and their shells if the process host held them. A shell
 * that it did not hold is lost, and its remaining processes are killed, as are the clients of tmux of that daemon.
 */
export async function recoverSessions(core: Core, tools: SessionTools): Promise<PtySession[]> {
  const records = tools.files.load();
  const ends = new Map(
    records.flatMap(({ shells }) => shells.map(({ id }) => [id, { stdout: 0, stderr: 0 }] as const)),
  );
  const { outputs, processes } = core.processes.recover(ends);
  const lostShells: ProcessTarget[] = [];
  const sessions: PtySession[] = [];
  for (const record of records) {
    const { session, lost } = await restore(core, tools, record, { outputs, processes });
    sessions.push(session);
    if (lost) lostShells.push(lost);
  }
  const unrecorded = [...processes.values()].filter(({ id }) => !ends.has(id));
  if (unrecorded.length > 0) {
    const signalled = await core.processes.abandon(unrecorded);
    core.logger.info({ processes: signalled }, 'processes of terminals that have no record were killed');
  }
  if (lostShells.length > 0) {
    const signalled = await core.processes.signal(lostShells, 'SIGKILL');
    core.logger.warn({ terminals: lostShells.length, processes: signalled }, 'terminals of an earlier daemon are lost');
  }
  return sessions;
}

/** The session of a record; `lost` is its shell if the process host does not hold it any more. */
async function restore(
  core: Core,
  tools: SessionTools,
  record: SessionRecord,
  { outputs, processes }: Recovered,
): Promise<{ session: PtySession; lost?: ProcessTarget }> {
  const session = new PtySession(tools, record);
  const newest = record.shells.at(-1);
  const process = newest && processes.get(newest.id);
  for (const { id, base } of record.shells) {
    if (id !== process?.id)
      session.history.append((outputs.get(id) ?? OutputLog.empty(core.runtime.path, id, 'terminal')).stdout, base);
  }
  if (tools.tmux !== undefined && record.state === 'open' && newest !== undefined) {
    const { id, name = id, base } = newest;
    if (await session.resumeTmux(name, base, process)) return { session };
  } else if (process !== undefined && record.state === 'open') {
    session.resume(process, newest?.base ?? 0);
    return { session };
  }
  const wasOpen = record.state === 'open';
  session.settle(record.state === 'open' ? 'lost' : record.state);
  return wasOpen && newest ? { session, lost: targetOf(tools, record, newest) } : { session };
}

function targetOf(
  { launcher }: SessionTools,
  { user }: SessionRecord,
  { id, pid }: SessionRecord['shells'][number],
): ProcessTarget {
  try {
    const identity = launcher.accountOf(user);
    return { id, pid, running: false, ...(identity && { identity }) };
  } catch {
    return { id, pid, running: false };
  }
}
