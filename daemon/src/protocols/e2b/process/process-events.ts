import type { CommandsPort, ProgramState } from '../../../core/ports/commands-port.ts';
import type { TerminalState, TerminalsPort } from '../../../core/ports/terminals-port.ts';
import type { Given } from '../../../http/rpc/wire-types.ts';
import type { ProcessEvent } from '../wire/process.ts';

type Event = Given<typeof ProcessEvent>;

/** Bytes of output in one message. */
const PIECE_BYTES = 64 * 1024;

export const IDLE: Event = { event: { case: 'keepalive', value: {} } };

export function startOf(pid: number): Event {
  return { event: { case: 'start', value: { pid } } };
}

/** The kept output of a command from its first byte on, and its end. */
export async function* commandEvents(commands: CommandsPort, id: string, gone: AbortSignal): AsyncGenerator<Event> {
  for await (const event of commands.follow(id, gone)) {
    if (event.type === 'exit') yield endOf(event.state);
    else {
      for (const piece of piecesOf(event.bytes)) {
        yield { event: { case: 'data', value: { output: { case: event.stream, value: piece } } } };
      }
    }
  }
}

/** The kept output of a terminal from its first byte on, and its end. */
export async function* terminalEvents(terminals: TerminalsPort, id: string, gone: AbortSignal): AsyncGenerator<Event> {
  for await (const event of terminals.follow(id, gone)) {
    if (event.type === 'exit') yield endOf(event.state);
    else yield { event: { case: 'data', value: { output: { case: 'pty', value: event.bytes } } } };
  }
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** As Go describes the end of a process, which is what E2B's clients were written for. */
function endOf({ exitCode, signal, ...rest }: ProgramState | TerminalState): Event {
  const isExit = signal === null && exitCode !== null;
  const status = isExit ? `exit status ${exitCode}` : `signal: ${signalText(signal)}`;
  const message = 'message' in rest ? rest.message : null;
  const error = message ?? (isExit && exitCode === 0 ? undefined : status);
  return { event: { case: 'end', value: { exitCode: isExit ? exitCode : -1, exited: isExit, status, error } } };
}

const SIGNAL_TEXTS: Readonly<Record<string, string>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGKILL: 'killed',
  SIGSEGV: 'segmentation fault',
  SIGTERM: 'terminated',
};

function signalText(signal: string | null): string {
  return signal === null ? 'killed' : (SIGNAL_TEXTS[signal] ?? signal);
}
