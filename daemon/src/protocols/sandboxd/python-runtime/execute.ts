import type { CommandsPort, ProgramState } from '../../../core/ports/commands-port.ts';
import { type Kept, readToEnd, signalNumber } from '../ran.ts';
import { shellWords } from './shell-words.ts';

/** Bytes of each stream that an answer has. */
const KEPT_BYTES = 10 * 1024 ** 2;
/** Seconds after which a command is ended if the environment names no others. */
const DEFAULT_SECONDS = 300;
/** The longest time that a timer has, in seconds. */
const SECONDS_MAX = 2 ** 31 / 1000 - 1;

export interface Executed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
}

export interface ExecuteTerms {
  readonly cwd: string;
  readonly seconds: number;
}

/** `SANDBOX_EXEC_TIMEOUT_SECONDS` of the environment, in seconds. */
export function executeSeconds(environment: Readonly<Record<string, string | undefined>>): number {
  const given = environment['SANDBOX_EXEC_TIMEOUT_SECONDS']?.trim();
  const seconds = given ? Number(given) : Number.NaN;
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, SECONDS_MAX) : DEFAULT_SECONDS;
}

/** Runs words without a shell. What goes wrong is a result with exit code 1, as the protocol has it. */
export async function execute(
  command: string,
  { cwd, seconds }: ExecuteTerms,
  commands: CommandsPort,
  gone: AbortSignal,
): Promise<Executed> {
  let words: string[];
  try {
    words = shellWords(command);
  } catch (error) {
    return failed((error as Error).message);
  }
  const [program, ...args] = words;
  if (!program || words.some((word) => word.includes('\0'))) {
    return failed(program ? 'the command contains NUL' : 'the command is empty');
  }
  const own = { program, args, shownAs: command, cwd, env: {}, user: undefined, openStdin: false };
  const { id, pid, message } = await commands.start({ ...own, hardTimeout: seconds }, gone);
  if (pid === null) return failed(message ?? 'the command did not start');
  const { stdout, stderr, end } = await readToEnd(commands, id, KEPT_BYTES, gone);
  if (end?.timedOut) return failed(`the command timed out after ${seconds} seconds`);
  if (end === undefined) return failed('the command was lost');
  return { stdout: textOf(stdout), stderr: textOf(stderr), exit_code: codeOf(end) };
}

function failed(why: string): Executed {
  return { stdout: '', stderr: `Failed to execute command: ${why}`, exit_code: 1 };
}

/** Line ends are those of Python's text streams. */
function textOf(kept: Kept): string {
  const text = kept.bytes.toString('utf8').replaceAll(/\r\n?/g, '\n');
  return kept.left === 0 ? text : `${text}\n[${kept.left} bytes more, left out]`;
}

/** As `subprocess` of Python: the number of a signal is negative. */
function codeOf(end: ProgramState): number {
  const signal = signalNumber(end);
  return signal === undefined ? (end.exitCode ?? 1) : -signal;
}
