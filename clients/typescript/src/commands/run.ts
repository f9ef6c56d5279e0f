import { RequestFailed, SandboxError } from '../core/errors.ts';
import type { Transport } from '../core/transport.ts';
import { Command } from './command.ts';
import { follow } from './follow.ts';
import type { CommandExit, CommandStatus, OutputStream } from './output.ts';
import type { StartOptions } from './start.ts';
import { startBody } from './start.ts';

export interface RunOptions extends StartOptions {
  /** Called with each piece of output, in order; the command waits for a promise that it returns. */
  readonly onOutput?: ((text: string, stream: OutputStream) => void | Promise<void>) | undefined;
  /** As `onOutput`, with the bytes that the command wrote. */
  readonly onBytes?: ((bytes: Uint8Array, stream: OutputStream) => void | Promise<void>) | undefined;
  /** Called when it runs, with what can end it. */
  readonly onStarted?: ((command: Command) => void) | undefined;
  /** Given to stdin, which is then closed; pieces are asked for as the command reads them. */
  readonly stdin?: string | AsyncIterable<string | Uint8Array> | undefined;
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
  const { stdin, maxOutput = MAX_OUTPUT } = options;
  const tails = { stdout: new Tail(maxOutput), stderr: new Tail(maxOutput) };
  const isOpen = stdin !== undefined && typeof stdin !== 'string';
  const body = { ...startBody(transport, command, options), ...(isOpen ? { mode: 'async' } : { stdin }) };
  let id = '';
  let exit: CommandExit | undefined;
  using feeding = new Feeding(options.signal);
  const onStarted = (started: string): void => {
    // A start that was cut is repeated with its key.
    if (id !== '') return;
    id = started;
    const running = new Command(transport, id, 0);
    options.onStarted?.(running);
    if (isOpen) feeding.begin(running, stdin);
  };
  const { signal } = feeding;
  for await (const event of follow(transport, { body, signal, onStarted, hasBytes: options.onBytes !== undefined })) {
    if (event.type === 'exit') exit = event;
    else if (event.type === 'lost') tails[event.stream].isCut = true;
    else {
      tails[event.stream].add(event.text);
      await options.onOutput?.(event.text, event.stream);
      if (event.bytes) await options.onBytes?.(event.bytes, event.stream);
    }
  }
  if (!exit) throw new SandboxError('the stream of the command has no end');
  const { type: _, ...end } = exit;
  const [stdout, stderr] = [tails.stdout.end(), tails.stderr.end()];
  const truncated = tails.stdout.isCut || tails.stderr.isCut;
  return checked({ id, command, ...end, stdout, stderr, truncated }, options);
}

function checked(result: RunResult, { check = true }: RunOptions): RunResult {
  if (check && !(result.status === 'completed' && result.exitCode === 0)) throw new CommandFailed(result);
  return result;
}

/** Passes pieces to the stdin of a command while its output is read. If that fails, the command is killed. */
class Feeding implements Disposable {
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#stop.abort(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined) {
    outer?.throwIfAborted();
    this.#outer = outer;
    outer?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Of the caller; also fires when the pieces fail, with their error. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  begin(command: Command, pieces: AsyncIterable<string | Uint8Array>): void {
    this.#feed(command, pieces).catch(async (error: unknown) => {
      if (this.signal.aborted || isClosed(error)) return;
      this.#stop.abort(error);
      await command.kill().catch(() => undefined);
    });
  }

  async #feed(command: Command, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
    const { signal } = this;
    for await (const piece of pieces) await command.write(piece, { signal });
    await command.closeInput({ signal });
  }

  /** What is read of the pieces from now on is not passed on. */
  [Symbol.dispose](): void {
    this.#outer?.removeEventListener('abort', this.#onAbort);
    this.#stop.abort();
  }
}

/** The command has ended, or reads no more. */
function isClosed(error: unknown): boolean {
  return error instanceof RequestFailed && (error.status === 409 || error.status === 404);
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
