import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CommandsPort, ProgramEvent, ProgramState } from '../../core/ports/commands-port.ts';
import { withKeepalive } from '../../http/streams/keepalive.ts';
import { LIVE_HEADERS } from '../../http/streams/send-stream.ts';
import { Refused } from './answers.ts';
import { ExecBody, readBody } from './bodies.ts';
import type { CloudflareCall } from './call.ts';
import type { Programs } from './programs.ts';
import { execInSession } from './session-shell.ts';
import type { Workspace } from './workspace.ts';

/** Bytes of output in one event. */
const PIECE_BYTES = 48 * 1024;
/** Milliseconds of silence after which a comment keeps the connection alive. */
const SILENCE_MS = 15_000;

/** `POST /exec`: the output at once, and the end. The command runs on when its client leaves. */
export async function exec(call: CloudflareCall, programs: Programs, workspace: Workspace): Promise<void> {
  const { argv, timeout_ms: timeout, cwd } = await readBody(call.req, ExecBody);
  const { sandbox, session } = call;
  const given = cwd === undefined || cwd === null ? undefined : await workspace.directory(cwd);
  const own = session
    ? { ...execInSession(session, argv, given), env: session.env, cwd: session.cwd ?? (await workspace.root()) }
    : { program: '/bin/sh', args: ['-c', '"$@"', 'sh', ...argv], env: {}, cwd: given ?? (await workspace.root()) };
  const hardTimeout = typeof timeout === 'number' ? timeout / 1000 : undefined;
  const terms = { ...own, shownAs: argv.join(' '), user: undefined, openStdin: false, hardTimeout };
  const { id, pid, message } = await programs.start({ sandbox, session }, terms, call.gone);
  if (pid === null) throw new Refused(502, `exec failed: ${message ?? 'it did not start'}`, 'exec_transport_error');
  call.res.writeHead(200, { 'content-type': 'text/event-stream', ...LIVE_HEADERS });
  call.res.flushHeaders();
  const events = withKeepalive(textsOf(programs.commands, id, timeout, call.gone), SILENCE_MS, ': heartbeat\n\n');
  await pipeline(Readable.from(events), call.res, { signal: call.gone });
}

async function* textsOf(
  commands: CommandsPort,
  id: string,
  timeout: number | null | undefined,
  gone: AbortSignal,
): AsyncGenerator<string> {
  for await (const event of commands.follow(id, gone)) {
    if (event.type === 'exit') yield endOf(event.state, timeout);
    else yield outputOf(event);
  }
}

function outputOf({ stream, bytes }: Extract<ProgramEvent, { type: 'bytes' }>): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    text += eventOf(stream, bytes.subarray(at, at + PIECE_BYTES).toString('base64'));
  }
  return text;
}

function endOf(state: ProgramState, timeout: number | null | undefined): string {
  if (state.timedOut) return errorOf(`the command was ended after ${timeout} ms`);
  const code = exitCodeOf(state);
  if (code === undefined) return errorOf(state.message ?? 'the command was lost');
  return eventOf('exit', JSON.stringify({ exit_code: code }));
}

/** As a shell reports it; undefined if it is not known. */
export function exitCodeOf(state: {
  readonly exitCode: number | null;
  readonly signal: string | null;
}): number | undefined {
  if (state.signal === null) return state.exitCode ?? undefined;
  const number = constants.signals[state.signal as NodeJS.Signals];
  return number === undefined ? undefined : 128 + number;
}

function errorOf(message: string): string {
  return eventOf('error', JSON.stringify({ error: message, code: 'exec_error' }));
}

function eventOf(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
