import { constants } from 'node:os';
import { posix } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { CommandsPort, ProgramState } from '../../core/ports/commands-port.ts';
import { Raised, systemError } from './answers.ts';
import type { CommandRequest } from './bodies.ts';
import { escaped, shown } from './text.ts';

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
}

/** Bytes of each stream that an answer has. */
const KEPT = 10 * 1024 ** 2;

/** The beginning of a stream, and how much more there was: a program may print for ever. */
class Kept {
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #left = 0;

  add(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.subarray(0, KEPT - this.#length));
    if (piece.length > 0) this.#pieces.push(piece);
    this.#length += piece.length;
    this.#left += bytes.length - piece.length;
  }

  async text(): Promise<string> {
    const begin = await escaped(Buffer.concat(this.#pieces));
    return this.#left === 0 ? begin : `${begin}\n[${this.#left} bytes more, left out]`;
  }
}

interface ExecuteParts {
  readonly commands: CommandsPort;
  /** Where relative directories begin. */
  readonly home: () => string;
}

/** `POST /execute`: a command beside all sessions; a timeout ends everything that it has started. */
export async function execute(
  request: CommandRequest,
  { commands, home }: ExecuteParts,
  gone: AbortSignal,
): Promise<Ran> {
  const { command, timeout, cwd, merge_output_streams: isMerged } = request;
  const words = wordsOf(request);
  const [program = '', ...args] = isMerged ? ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...words] : words;
  const terms = {
    program,
    args,
    shownAs: typeof command === 'string' ? command : command.join(' '),
    cwd: cwd === undefined || cwd === null ? undefined : posix.resolve(home(), cwd),
    env: {},
    user: undefined,
    openStdin: false,
    hardTimeout: typeof timeout === 'number' ? Math.max(timeout, 0.001) : undefined,
  };
  const { id, pid, message } = await commands.start(terms, gone).catch((error: unknown) => {
    throw directoryError(error, cwd ?? '') ?? error;
  });
  if (pid === null) throw notStarted(message, cwd ?? words[0] ?? '');
  const output = { stdout: new Kept(), stderr: new Kept() };
  let end: ProgramState | undefined;
  for await (const event of commands.follow(id, gone)) {
    if (event.type === 'exit') end = event.state;
    else output[event.stream].add(event.bytes);
  }
  if (end?.timedOut) throw new Raised('CommandTimeoutError', `Timeout (${timeout}s) exceeded while running command`);
  const ran = {
    stdout: await output.stdout.text(),
    stderr: await output.stderr.text(),
    exit_code: end === undefined ? null : codeOf(end),
  };
  if (request.check && ran.exit_code !== 0) throw failed(request, ran);
  return ran;
}

function failed({ command, error_msg: errorText }: CommandRequest, { stdout, stderr, exit_code: code }: Ran): Raised {
  const text = typeof command === 'string' ? shown(command) : `[${command.map(shown).join(', ')}]`;
  const why = `Command ${text} failed with exit code ${code}. Stdout:\n${shown(stdout)}\nStderr:\n${shown(stderr)}`;
  return new Raised('NonZeroExitCodeError', errorText === '' ? why : `${errorText}: ${why}`);
}

/** With `env` the program gets these variables and no other. */
function wordsOf({ command, shell, env }: CommandRequest): readonly string[] {
  const given = typeof command === 'string' ? [command] : command;
  const words = shell ? ['/bin/sh', '-c', ...given] : given;
  if (env === undefined || env === null) return words;
  return ['/usr/bin/env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...words];
}

function directoryError(error: unknown, cwd: string): Raised | undefined {
  if (!(error instanceof SandboxError) || error.details.field !== 'cwd') return undefined;
  return systemError(error.message.includes('is not a directory') ? 'ENOTDIR' : 'ENOENT', cwd);
}

function notStarted(message: string | null, path: string): Raised {
  const text = message ?? 'the command did not start';
  const code = /\b(ENOENT|EACCES|ENOTDIR)\b/.exec(text)?.[1] ?? (/no such|not found/i.test(text) ? 'ENOENT' : '');
  return systemError(code, path) ?? new Raised('SwerexException', text);
}

/** As `subprocess` of Python: the number of a signal is negative. */
function codeOf({ exitCode, signal }: ProgramState): number | null {
  if (signal === null) return exitCode;
  const number = constants.signals[signal as NodeJS.Signals];
  return number === undefined ? null : -number;
}
