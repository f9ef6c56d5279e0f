import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type Identity, lookUpIdentity } from '../../../core/account/identity.ts';
import type { Core } from '../../../core/core.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import type { HostedProcess, ProcessTarget, Recovered } from '../../../core/process/process-host.ts';
import { Command, type CommandRecord, endedNow } from '../run/command.ts';
import { noteEnded, noteFound } from '../run/command-events.ts';
import { trackProcess } from '../run/track-process.ts';
import type { CommandStore } from './command-store.ts';

/**
 * Restores the commands of an earlier daemon: their records and output, and their processes if the process host held
 * them. A command that it did not hold is lost, and its remaining processes are killed.
 */
export async function recover(
  core: Core,
  store: CommandStore,
  records: ReadonlyMap<string, CommandRecord>,
): Promise<void> {
  const unjournaled: CommandRecord[] = [];
  const ends = new Map(
    [...records].map(([id, { stdoutBytes, stderrBytes }]) => [id, { stdout: stdoutBytes, stderr: stderrBytes }]),
  );
  const recovered = core.processes.recover(ends);
  for (const process of recovered.processes.values()) {
    const record = records.has(process.id) ? undefined : recordOf(process);
    if (record !== undefined) unjournaled.push(record);
  }
  const all = new Map([...records.values(), ...unjournaled].map((record) => [record.id, withTicks(core, record)]));
  const lost = [...all.values()].flatMap((record) => restore(core, store, record, recovered, records.has(record.id)));
  const unrecorded = [...recovered.processes.values()].filter(({ id }) => !all.has(id));
  if (lost.length > 0 || unrecorded.length > 0) {
    const signalled = (await core.processes.signal(lost, 'SIGKILL')) + (await core.processes.abandon(unrecorded));
    core.logger.warn(
      { commands: lost.length + unrecorded.length, processes: signalled },
      'commands of an earlier daemon are lost; their remaining processes were killed',
    );
  }
  for (const session of store.sessions.list()) {
    if (session.implicit && store.ofSession(session.id).length === 0) store.removeSession(session.id);
  }
  store.compact();
}

/** Ticks of a record of this or an earlier version. */
function withTicks({ clock }: Core, record: CommandRecord): CommandRecord {
  const { startedAt, endedAt } = record;
  const startedTick = clock.restored(record.startedTick, startedAt);
  const endedTick = endedAt === null ? null : clock.restored(record.endedTick ?? undefined, endedAt);
  return { ...record, startedTick, endedTick };
}

/** Adds the command of a record; answers its target if it is lost, since its processes have to be killed. */
function restore(
  core: Core,
  store: CommandStore,
  record: CommandRecord,
  recovered: Recovered,
  isJournaled: boolean,
): ProcessTarget[] {
  const { id, pid, user, status } = record;
  const wasRunning = status === 'running' || status === 'pending';
  const identity = identityOf(user);
  const process = recovered.processes.get(id);
  if (wasRunning && process !== undefined) {
    const command = trackProcess(core, store, record, process, identity);
    if (isJournaled) store.add(command);
    else store.addStarted(command);
    noteFound(core, record);
    void endInput(core, store, command, process);
    return [];
  }
  process?.acknowledgeExit();
  const output = recovered.outputs.get(id) ?? OutputLog.empty(core.runtime.path, id);
  const message = 'the daemon ended before the command did';
  const lost = { status: 'lost', ...endedNow(core.clock), message } as const;
  const ended = wasRunning ? { ...record, ...lost } : record;
  store.add(new Command(ended, output, { identity }));
  if (wasRunning) noteEnded(core, ended);
  return wasRunning ? [{ id, pid: pid ?? 0, running: false, ...(identity && { identity }) }] : [];
}

/** Stdin ends after the input of the start. What the earlier daemon could not hand over is lost: the record says so. */
async function endInput(core: Core, store: CommandStore, command: Command, process: HostedProcess): Promise<void> {
  const { inputBytes = null, stdinBytes } = command.record;
  if (inputBytes === null) return;
  const missing = inputBytes - stdinBytes;
  if (missing > 0) {
    const message = `${missing} of ${inputBytes} bytes of its input were lost when the daemon ended`;
    store.update(command, { message });
  }
  try {
    await process.endStdin();
  } catch (error) {
    // It was closed before.
    if (!(error instanceof SandboxError)) core.logger.error({ err: error }, 'stdin could not be closed');
  }
}

/** The record that the process host kept of a command which was started, but not journaled; undefined: none. */
function recordOf({ id, record }: HostedProcess): CommandRecord | undefined {
  try {
    const kept: unknown = JSON.parse(record ?? '');
    return isRecord(kept) && kept.id === id ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Only this program writes records. */
function isRecord(kept: unknown): kept is CommandRecord {
  return typeof kept === 'object' && kept !== null && 'id' in kept && 'idempotency' in kept;
}

function identityOf(user: string | null): Identity | undefined {
  try {
    return user === null ? undefined : lookUpIdentity(user);
  } catch {
    return undefined;
  }
}
