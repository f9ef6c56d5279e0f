import { waitFor } from '@sandbox/api/wait.ts';
import type { CommandsPort, ProgramEvent, ProgramState } from '../../core/ports/commands-port.ts';
import type { CommandService } from './command-service.ts';
import type { CommandRecord } from './run/command.ts';

/** Milliseconds that a start waits for a process host that is slow. */
const START_MS = 60_000;

/** The commands for protocols. */
export function commandsPort(service: CommandService): CommandsPort {
  const find = (id: string): ProgramState | undefined => {
    const record = service.find(id);
    return record && stateOf(record);
  };
  return {
    start: async ({ program, args, shownAs, ...terms }, gone) => {
      const request = { ...terms, command: program, args, shell: 'none', shownAs, wait: 0 };
      const { record, started } = await service.runFollowed(request, gone);
      await waitFor(started, { ms: START_MS, signal: gone });
      return find(record.id) ?? stateOf(record);
    },
    list: () => service.list({ limit: Number.POSITIVE_INFINITY }).map(stateOf),
    find,
    follow: (id, gone) => follow(service, id, gone),
    write: async (id, bytes, gone) => {
      await service.writeStdin(id, piecesOf(bytes), { eof: false, gone });
    },
    closeStdin: async (id) => {
      await service.writeStdin(id, piecesOf(), { eof: true, gone: new AbortController().signal });
    },
    signal: async (id, signal) => (await service.kill(id, signal)).processes,
  };
}

async function* piecesOf(...bytes: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes;
}

async function* follow(service: CommandService, id: string, gone: AbortSignal): AsyncGenerator<ProgramEvent> {
  for await (const event of service.follow(id, { stdout: 0, stderr: 0 }, gone, { as: 'bytes' })) {
    if (event.type === 'bytes') yield { type: 'bytes', stream: event.stream, bytes: event.bytes };
    if (event.type === 'exit') yield { type: 'exit', state: stateOf(event.record) };
  }
}

function stateOf({ id, pid, command, status, exitCode, signal, message }: CommandRecord): ProgramState {
  const isRunning = status === 'running' || status === 'pending';
  return { id, pid, text: command, isRunning, timedOut: status === 'timed_out', exitCode, signal, message };
}
