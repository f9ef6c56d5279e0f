import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { z } from 'zod';
import type { TerminalsPort } from '../../core/ports/terminals-port.ts';
import type { WebSocketPort } from '../../http/streams/websocket-port.ts';
import { Refused } from './answers.ts';
import type { CloudflareCall } from './call.ts';
import { exitCodeOf } from './exec.ts';
import type { Programs } from './programs.ts';
import { shellInSession } from './session-shell.ts';
import type { State } from './state.ts';
import type { Workspace } from './workspace.ts';

const Size = z.coerce.number().int().min(1).max(1000);
const Resize = z.looseObject({ type: z.literal('resize'), cols: Size, rows: Size });
/** Characters of a text message; a longer one is not parsed. */
const CONTROL_MAX = 4096;
/** Close code of RFC 6455 §7.4.1. */
const NORMAL = 1000;

interface PtyParts {
  readonly programs: Programs;
  readonly state: State;
  readonly workspace: Workspace;
}

/**
 * `GET /pty`: a terminal over a WebSocket. That of a session lives as long as the session, and a later connection begins
 * with its kept output; any other one ends with its connection.
 */
export async function pty(call: CloudflareCall, parts: PtyParts): Promise<void> {
  const { webSocket, session } = call;
  if (webSocket === undefined) throw new Refused(400, 'WebSocket upgrade required');
  const { terminals } = parts.programs;
  const id = await terminalOf(call, parts);
  let isServed = false;
  try {
    await webSocket(async (port) => {
      isServed = true;
      try {
        await relay(port, terminals, id);
      } finally {
        if (!session) await terminals.close(id, 0);
      }
    });
  } finally {
    if (!isServed && !session) await terminals.close(id, 0);
  }
}

/** That of the session, if it is open, else a new one: connections at once to a session share one. */
async function terminalOf(call: CloudflareCall, parts: PtyParts): Promise<string> {
  const { sandbox, session, query } = call;
  const { programs, state } = parts;
  const size = { cols: sizeOf(query, 'cols', 80), rows: sizeOf(query, 'rows', 24) };
  if (!session) return await openTerminal(call, size, parts);
  return await programs.openings.hold(session.directory, async () => {
    const { terminalId } = state.session(sandbox.id, session.id);
    if (terminalId !== null && programs.terminals.list().some(({ id, isOpen }) => isOpen && id === terminalId)) {
      programs.terminals.resize(terminalId, size);
      return terminalId;
    }
    const id = await openTerminal(call, size, parts);
    state.setTerminal(session, id);
    return id;
  });
}

async function openTerminal(
  { sandbox, session, query }: CloudflareCall,
  size: { readonly cols: number; readonly rows: number },
  { programs, workspace }: PtyParts,
): Promise<string> {
  const shell = query.get('shell') || 'bash';
  const program = session ? shellInSession(session, shell) : { program: shell, args: [] };
  const cwd = session?.cwd ?? (await workspace.root());
  const terms = { ...program, ...size, cwd, env: session?.env ?? {}, user: undefined };
  const { id, pid } = await programs.open({ sandbox, session }, terms);
  if (pid === null) throw new Refused(502, `terminal failed: ${shell} did not start`, 'exec_transport_error');
  return id;
}

function sizeOf(query: URLSearchParams, name: 'cols' | 'rows', fallback: number): number {
  const given = query.get(name);
  if (given === null || given === '') return fallback;
  const parsed = Size.safeParse(given);
  if (!parsed.success)
    throw new Refused(400, `cols and rows must be valid numbers: ${name} is a number from 1 to 1000`);
  return parsed.data;
}

async function relay(port: WebSocketPort, terminals: TerminalsPort, id: string): Promise<void> {
  port.onMessage(async (bytes, isText) => {
    try {
      if (isText) control(bytes.toString('utf8'), terminals, id);
      else await terminals.write(id, bytes, port.gone);
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      sendError(port, error.message);
    }
  });
  port.sendText(JSON.stringify({ type: 'ready' }));
  for await (const event of terminals.follow(id, port.gone)) {
    if (event.type === 'bytes') {
      port.sendBytes(Buffer.from(event.bytes), ignore);
      await port.drained();
      continue;
    }
    const { signal } = event.state;
    port.sendText(JSON.stringify({ type: 'exit', code: exitCodeOf(event.state) ?? -1, ...(signal && { signal }) }));
    port.close(NORMAL, 'the terminal has ended');
  }
}

function control(text: string, terminals: TerminalsPort, id: string): void {
  const { success, data } = Resize.safeParse(jsonOf(text));
  if (!success) throw new SandboxError('invalid', 'a text message must be {"type":"resize","cols":…,"rows":…}');
  terminals.resize(id, { cols: data.cols, rows: data.rows });
}

function jsonOf(text: string): unknown {
  if (text.length > CONTROL_MAX) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendError(port: WebSocketPort, message: string): void {
  port.sendText(JSON.stringify({ type: 'error', message }));
}
