import { waitFor } from '@sandbox/api/wait.ts';
import type { Core } from '../../core/core.ts';
import type { HostedProcess, ProcessEnd } from '../../core/process/process-host.ts';
import type { CodeService } from './code-service.ts';
import type { ExecutionStore, Unfinished } from './execution/execution-store.ts';
import { finishWithout, superviseCell } from './execution/run-cell.ts';
import type { OneOffs } from './run/one-offs.ts';
import type { InterpreterProcesses, InterpreterRecord } from './runtime/interpreter-processes.ts';
import type { LanguageCatalogue } from './runtime/language-catalogue.ts';
import type { Interpreter } from './runtime/language-runtime.ts';
import { hadOf } from './runtime/output.ts';
import { Session } from './session/session.ts';
import type { SessionRecord } from './session/session-file.ts';
import type { SessionTables } from './session/session-tables.ts';

interface Parts {
  readonly catalogue: LanguageCatalogue;
  readonly tables: SessionTables;
  readonly executions: ExecutionStore;
  readonly processes: InterpreterProcesses;
  readonly oneOffs: OneOffs;
  readonly service: CodeService;
}

/** What is left of an earlier daemon. */
interface Found {
  readonly interpreters: ReadonlyMap<string, Interpreter>;
  readonly sessions: readonly Session[];
  readonly ends: ReadonlyMap<string, ProcessEnd>;
}

/**
 * Finds the sessions and the cells of an earlier daemon. A cell that runs is followed to its end, and so is one whose
 * interpreter has ended; what no session and no cell needs is ended.
 */
export async function recoverCode(core: Core, parts: Parts): Promise<void> {
  const records = parts.tables.records();
  const unfinished = parts.executions.recover();
  const { processes } = core.processes.recover(new Map());
  const ends = await endsOf(processes.values());
  const lasting = records.filter(({ processId }) => !ends.has(processId));
  const needed = new Set([
    ...lasting.map(({ processId }) => processId),
    ...unfinished.map(({ journal }) => journal.processId),
  ]);
  const elsewhere = await reclaim(lasting, parts.catalogue);
  const kept = [...processes.values()].filter(({ id }) => needed.has(id));
  await core.processes.abandon([...processes.values()].filter(({ id }) => !needed.has(id)));
  const interpreters = new Map<string, Interpreter>(elsewhere);
  await Promise.all(
    kept.map(async (process) => {
      const interpreter = await attach(process, parts.catalogue).catch(() => undefined);
      if (interpreter) interpreters.set(process.id, interpreter);
      else await core.processes.abandon([process]);
    }),
  );
  const gone = [...needed].filter((id): id is string => id !== undefined && !processes.has(id) && !elsewhere.has(id));
  await core.processes.signal(
    gone.map((id) => ({ id, pid: 0, running: false })),
    'SIGKILL',
  );
  const sessions = lasting.flatMap((record) => restoreSession(record, interpreters.get(record.processId), parts));
  for (const cell of unfinished) resume(cell, { interpreters, sessions, ends }, parts);
}

/** Ends of the processes that ended while no daemon ran, by their ids. */
async function endsOf(processes: Iterable<HostedProcess>): Promise<Map<string, ProcessEnd>> {
  const ends = new Map<string, ProcessEnd>();
  await Promise.all(
    Array.from(processes, async ({ id, ended }) => {
      if ((await waitFor(ended, { ms: 0 })) === 'settled') ends.set(id, await ended);
    }),
  );
  return ends;
}

/** Interpreters of sessions that run elsewhere, by the id of their process. */
async function reclaim(
  records: readonly SessionRecord[],
  { runtimes }: LanguageCatalogue,
): Promise<Map<string, Interpreter>> {
  const found = await Promise.all(
    records.map(async ({ processId }) => {
      const asked = runtimes.map((runtime) => runtime.reclaim?.(processId).catch(() => undefined));
      return [processId, (await Promise.all(asked)).find((interpreter) => interpreter !== undefined)] as const;
    }),
  );
  return new Map(found.flatMap(([id, interpreter]) => (interpreter ? [[id, interpreter] as const] : [])));
}

async function attach(process: HostedProcess, catalogue: LanguageCatalogue): Promise<Interpreter | undefined> {
  const { runtime, state } = JSON.parse(process.record ?? '{}') as InterpreterRecord;
  return await catalogue.named(runtime)?.attach(process, state);
}

function restoreSession(record: SessionRecord, interpreter: Interpreter | undefined, parts: Parts): Session[] {
  if (interpreter === undefined) return [];
  const runtimeName = (JSON.parse(interpreter.process.record ?? '{}') as InterpreterRecord).runtime;
  const runtime = parts.catalogue.named(runtimeName);
  if (runtime === undefined) return [];
  const { id, language, variant, user, cwd, env, idleSeconds, createdAt, isNamed = true } = record;
  const { clock } = parts.tables;
  const createdTick = clock.restored(record.createdTick, createdAt);
  const spec = { language, variant, identity: parts.processes.runContext.identityOf(user), cwd, env };
  const terms = { id, runtime, spec, idleSeconds, createdAt: new Date(createdAt), createdTick, clock, isNamed };
  const session = new Session(terms, Promise.resolve(interpreter));
  parts.tables.restore(session);
  return [session];
}

function resume(
  { execution, journal }: Unfinished,
  { interpreters, sessions, ends }: Found,
  { service, oneOffs, tables: { clock } }: Parts,
): void {
  const { processId = '' } = journal;
  const interpreter = interpreters.get(processId);
  if (interpreter === undefined) {
    finishWithout(execution, ends.get(processId));
    return;
  }
  const { id, head } = execution;
  execution.input.bind((text) => interpreter.answer?.(text));
  const running = interpreter.resume(
    { id, language: head.language, code: head.code, stdinBefore: journal.stdinBefore },
    execution,
    hadOf(journal.outputs),
  );
  const left = head.timeoutSeconds * 1000 - clock.since(head.startedTick);
  const ending = superviseCell(interpreter, running, execution, Math.max(left, 0));
  const session = sessions.find((each) => each.id === head.sessionId && each.table === head.table);
  service.follow(execution, session ? session.resume(id, ending) : ending);
  if (session === undefined) oneOffs.restore(id, interpreter, ending);
}
