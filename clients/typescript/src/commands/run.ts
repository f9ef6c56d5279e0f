import { SandboxError } from '../core/errors.ts';
import type { Transport } from '../core/transport.ts';
import { follow } from './follow.ts';
import type { CommandExit, CommandStatus, OutputStream } from './output.ts';
import type { StartOptions } from './start.ts';
import { startBody } from './start.ts';

export interface RunOptions extends StartOptions {
  /** Called with each piece of output, in order; the command waits for a promise that it returns. */
  readonly onOutput?: ((text: string, stream: OutputStream) => void | Promise<void>) | undefined;
  /** Given to stdin, which is then closed. */
  readonly stdin?: string | undefined;
  /** `false`: a command that fails is a result, not an exception. */
  readonly check?: boolean | undefined;
  /** Characters of each stream that the result keeps, from the end; default 1 Mi. */
  readonly maxOutput?: number | undefined;
}

export interface RunResult {
  readonly id: string;
  readonly command: string;
  readonly status: CommandStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly oomKilled: boolean | null;
  readonly message: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether `stdout` or `stderr` lacks text. */
  readonly truncated: boolean;
}

/** The command could not be started, exited with another code than 0, was killed or ran out of time. */
export class CommandFailed extends SandboxError {
  override readonly name = 'CommandFailed';
  readonly result: RunResult;

  constructor(result: RunResult) {
    super(`${summaryOf(result)}: ${shortened(result.command)}`, { hint: lastLines(result.stderr || result.stdout) });
    this.result = result;
  }

  get exitCode(): number | null {
    return this.result.exitCode;
  }
}

const MAX_OUTPUT = 1024 * 1024;

/** The end of a text, in memory that does not depend on its length. */
class Tail {
  readonly #max: number;
  #text = '';
  isCut = false;

  constructor(max: number) {
    this.#max = max;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > 2 * this.#max) this.#cut();
  }

  end(): string {
    this.#cut();
    return this.#text;
  }

  #cut(): void {
    if (this.#text.length <= this.#max) return;
    this.#text = this.#max === 0 ? '' : this.#text.slice(-this.#max);
    this.isCut = true;
  }
}

/** @throws CommandFailed unless `check` is false; RequestFailed, ConnectionLost */
export async function run(transport: Transport, command: string, options: RunOptions): Promise<RunResult> {
  const { onOutput, stdin, maxOutput = MAX_OUTPUT, signal } = options;
  const tails = { stdout: new Tail(maxOutput), stderr: new Tail(maxOutput) };
  let id = '';
  let exit: CommandExit | undefined;
  const body = { ...startBody(transport, command, options), stdin };
  const onStarted = (started: string): void => {
    id = started;
  };
  for await (const event of follow(transport, { body, signal, onStarted })) {
    if (event.type === 'exit') exit = event;
    else if (event.type === 'lost') tails[event.stream].isCut = true;
    else {
      tails[event.stream].add(event.text);
      await onOutput?.(event.text, event.stream);
    }
  }
  if (!exit) throw new SandboxError('the stream of the command has no end');
  const { type: _, ...end } = exit;
  const [stdout, stderr] = [tails.stdout.end(), tails.stderr.end()];
  const truncated = tails.stdout.isCut || tails.stderr.isCut;
  const result = { id, command, ...end, stdout, stderr, truncated };
  if (options.check !== false && !(result.status === 'completed' && result.exitCode === 0)) {
    throw new CommandFailed(result);
  }
  return result;
}

function summaryOf({ status, exitCode, signal, message, oomKilled }: RunResult): string {
  if (status === 'completed') return `the command exited with ${exitCode}`;
  if (status === 'timed_out') return 'the command ran out of time';
  if (status === 'killed') return `the command was killed by ${signal}${oomKilled ? ' (memory limit)' : ''}`;
  if (status === 'lost') return 'the end of the command was not observed';
  return message ?? 'the command could not be started';
}

function shortened(command: string): string {
  const [line = ''] = command.split('\n');
  return line.length > 100 || line !== command ? `${line.slice(0, 100)} …` : line;
}

function lastLines(text: string): string | null {
  return text.trimEnd().slice(-1000).split('\n').slice(-5).join('\n') || null;
}
