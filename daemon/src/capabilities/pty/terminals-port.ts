import { waitFor } from '@sandbox/api/wait.ts';
import type { TerminalEvent, TerminalState, TerminalsPort } from '../../core/ports/terminals-port.ts';
import { isTurnSpent, yieldToEventLoop } from '../../core/turns.ts';
import type { PtyService } from './pty-service.ts';
import type { PtySession } from './session/session.ts';

/** Bytes of one read of the history. */
const READ_BYTES = 64 * 1024;
/** Milliseconds that an opened terminal waits for a process host that is slow. */
const START_MS = 60_000;

/** The terminals for protocols. */
export function terminalsPort(service: PtyService): TerminalsPort {
  const { sessions } = service;
  return {
    open: async ({ program, ...terms }) => {
      using held = await sessions.open({ ...terms, command: program, retention: 'persistent' });
      await waitFor(held.session.started, { ms: START_MS });
      return stateOf(held.session);
    },
    list: () => service.list().map(stateOf),
    follow: (id, gone, from = 0) => follow(service, sessions.get(id), gone, from),
    write: (id, bytes, gone) => service.write(sessions.get(id), bytes, gone),
    resize: (id, size) => sessions.get(id).resize(size),
    close: (id, graceMs) => sessions.close(sessions.get(id), graceMs),
  };
}

function stateOf({ id, pid, open, record }: PtySession): TerminalState {
  const { command, args, cwd, exitCode, signal } = record;
  return { id, pid, isOpen: open, program: command, args, cwd, exitCode, signal };
}

async function* follow(
  service: PtyService,
  session: PtySession,
  gone: AbortSignal,
  from: number,
): AsyncGenerator<TerminalEvent> {
  const { history } = session;
  using _held = service.sessions.hold(session);
  using _viewer = session.attach();
  for (let at = Math.max(history.first, from); !gone.aborted; ) {
    const { offset, bytes, isOver } = await history.read(at, READ_BYTES);
    if (isTurnSpent()) await yieldToEventLoop();
    if (bytes.length > 0) {
      at = offset + bytes.length;
      yield { type: 'bytes', bytes, next: at };
    } else if (isOver) {
      yield { type: 'exit', state: stateOf(session) };
      return;
    } else await history.advanced(at, gone);
  }
}
