import type { Core } from '../../core/core.ts';
import { OutputLog } from '../../core/output/output-log.ts';
import type { ProcessTarget, Recovered } from '../../core/process/process-host.ts';
import { PtySession, type SessionTools } from './session/session.ts';
import type { SessionRecord } from './session/session-record.ts';
import { isShellId } from './session/shell-launcher.ts';

/**
 * Takes up the sessions of an earlier daemon: their history, and the shells that the process host held. Other shells
 * are lost, and their remaining processes are killed.
 */
export async function recoverSessions(core: Core, tools: SessionTools): Promise<PtySession[]> {
  const records = tools.files.load();
  const ends = new Map(
    records.flatMap(({ shells }) => shells.map(({ id }) => [id, { stdout: 0, stderr: 0 }] as const)),
  );
  const { outputs, processes } = core.processes.recover(ends, isShellId);
  const left: ProcessTarget[] = [];
  const sessions: PtySession[] = [];
  for (const record of records) {
    const { session, lost } = await restore(core, tools, record, { outputs, processes });
    sessions.push(session);
    if (lost) left.push(lost);
  }
  const known = new Set(ends.keys());
  for (const process of processes.values()) {
    if (known.has(process.id)) continue;
    left.push({ id: process.id, pid: process.pid, running: false });
    void process.ended.then(() => process.output.remove()).then(() => process.acknowledgeExit());
  }
  if (left.length > 0) {
    const ended = await core.processes.signal(left, 'SIGKILL');
    core.logger.warn({ terminals: left.length, processes: ended }, 'terminals of an earlier daemon are lost');
  }
  return sessions;
}

/** The session of a record; `lost`: the processes of a shell that the process host does not hold any more. */
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
    if (id !== process?.id) session.history.append((outputs.get(id) ?? emptyLog(core, id)).stdout, base);
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

function emptyLog(core: Core, id: string): OutputLog {
  const log = new OutputLog(core.runtime.path, id, 'terminal');
  log.seal();
  return log;
}
