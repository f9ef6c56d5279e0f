import { isLoss } from '../../core/event-log.ts';
import type { CellOutput, CodePort, RunningCell } from '../../core/ports/code-port.ts';
import type { CodeService } from './code-service.ts';
import type { Execution, OutputEntry } from './execution/execution.ts';
import type { SessionInfo } from './session/session-info.ts';

/** Outputs that are taken from the log at once. */
const PAGE = 256;

/** Code sessions for protocols. */
export function codePort(service: CodeService): CodePort {
  return {
    createSession: async (terms) => sessionOf((await service.createSession(terms)).session),
    sessions: () => service.listSessions().map(sessionOf),
    closeSession: (id) => service.deleteSession(id),
    begin: async (terms, gone) => cellOf(service, await service.begin(terms, gone)),
  };
}

function sessionOf({ sessionId, language, cwd }: SessionInfo): ReturnType<CodePort['sessions']>[number] {
  return { sessionId, language, cwd };
}

function cellOf(service: CodeService, execution: Execution): RunningCell {
  return {
    id: execution.id,
    outputs: (gone) => outputsOf(execution, gone),
    get executionCount() {
      return execution.report().executionCount;
    },
    interrupt: async () => {
      await service.interruptExecution(execution.id);
    },
  };
}

async function* outputsOf(execution: Execution, gone: AbortSignal): AsyncGenerator<CellOutput> {
  for (let next = 0; !gone.aborted; ) {
    const entries = execution.from(next, PAGE);
    for (const entry of entries) {
      next = entry.seq;
      const output = outputOf(entry);
      if (output) yield output;
    }
    if (entries.length > 0) continue;
    if (!execution.isRunning) return;
    await execution.moreThan(next, { signal: gone });
  }
}

function outputOf(entry: OutputEntry): CellOutput | undefined {
  if (isLoss(entry)) return undefined;
  switch (entry.type) {
    case 'stream':
      return { type: 'stream', name: entry.name, text: entry.text };
    case 'error':
      return { type: 'error', name: entry.ename, value: entry.evalue, traceback: entry.traceback };
    case 'execute_result':
      return { type: 'result', data: entry.data, isMain: true };
    case 'display_data':
    case 'update_display_data':
      return { type: 'result', data: entry.data, isMain: false };
    default:
      return undefined;
  }
}
