import { constants } from 'node:os';
import type { Command } from '../../commands/command.ts';
import type { CommandExit, OutputEvent, OutputStream } from '../../commands/output.ts';
import type { RunOptions, RunResult } from '../../commands/run.ts';
import type { StartOptions } from '../../commands/start.ts';
import { isNotFound, SandboxError } from '../../core/errors.ts';
import { type Context, UsageError } from '../command-spec.ts';
import { oneLine } from '../one-line.ts';
import { written } from '../written.ts';

/** As shells do: 124 for the time limit, 128 and the number of the signal for a signal. */
function exitCodeOf({ status, exitCode, signal }: Pick<CommandExit, 'status' | 'exitCode' | 'signal'>): number {
  if (status === 'timed_out') return 124;
  if (exitCode !== null && exitCode >= 0) return exitCode;
  const numbers: Readonly<Partial<Record<string, number>>> = constants.signals;
  return 128 + (numbers[signal ?? 'SIGKILL'] ?? constants.signals.SIGKILL);
}

export async function runCommand(context: Context): Promise<number | undefined> {
  const { sandbox, args, options, print } = context;
  const [command = '', ...rest] = args;
  const start = {
    args: rest.length === 0 ? undefined : rest,
    cwd: textOf(options['cwd']),
    timeout: numberOf('timeout', options['timeout']),
  };
  if (!options['detach']) return await runAttached(context, command, start);
  if (options['stdin']) throw new UsageError('run: -d and -i do not go together: nothing is left that reads stdin');
  const { id } = await sandbox.spawn(command, start);
  print(`${id}\n`, { id });
  return undefined;
}

/** Passes stdin on if it is asked for, output and signals always. */
async function runAttached(context: Context, command: string, start: StartOptions): Promise<number> {
  const { options, terminal, held } = context;
  const attached = new Attached();
  const run = {
    ...start,
    check: false,
    stdin: options['stdin'] ? terminal.stdin : undefined,
    onStarted: (started: Command): void => attached.begin(started),
  };
  try {
    const end = (signal: NodeJS.Signals): Promise<void> => attached.kill(signal);
    return exitCodeOf(await held.during({ end, passesOn: true }, () => resultOf(context, command, run)));
  } finally {
    // A read of it may wait for ever.
    if (options['stdin']) terminal.stdin.destroy();
  }
}

async function resultOf(
  { sandbox, options, print, terminal }: Context,
  command: string,
  run: RunOptions,
): Promise<RunResult> {
  if (options['json']) {
    const result = await sandbox.run(command, run);
    print('', result);
    return result;
  }
  const onBytes = (bytes: Uint8Array, stream: OutputStream): Promise<void> => written(terminal[stream], bytes);
  const result = await sandbox.run(command, { ...run, maxOutput: 0, onBytes });
  if (result.message !== null) terminal.stderr.write(`sandbox: ${result.message}\n`);
  return result;
}

/** A command that gets the signals, also those from before it was known. */
class Attached {
  #command: Command | undefined;
  #asked: NodeJS.Signals | undefined;

  begin(command: Command): void {
    this.#command = command;
    if (this.#asked) void this.kill(this.#asked);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#asked = signal;
    await this.#command?.kill(signal).catch(() => undefined);
  }
}

export async function listCommands({ sandbox, options, print }: Context): Promise<undefined> {
  const all = await sandbox.commands({ limit: 1000 });
  const shown = options['all'] ? all : all.filter(({ status }) => status === 'running' || status === 'pending');
  const rows = shown.map(({ commandId, status, exitCode, command }) =>
    [commandId, status.padEnd(9), String(exitCode ?? '').padEnd(4), command.split('\n')[0] ?? '']
      .map(oneLine)
      .join('  '),
  );
  print(rows.map((row) => `${row}\n`).join(''), shown);
}

/** Milliseconds for what a command that runs has written so far. */
const READ_MS = 500;

export async function logs(context: Context): Promise<number | undefined> {
  const { args, options, sandbox } = context;
  const command = sandbox.command(args[0] ?? '');
  const { status } = await command.info().catch(unknownCommand);
  const isRunning = status === 'running' || status === 'pending';
  if (options['follow'] || !isRunning) {
    const end = await show(command.output({ bytes: true }), context);
    return options['follow'] && end ? exitCodeOf(end) : undefined;
  }
  const signal = AbortSignal.timeout(READ_MS);
  await show(command.output({ bytes: true, signal }), context).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return undefined;
}

async function show(output: AsyncIterable<OutputEvent>, { terminal }: Context): Promise<CommandExit | undefined> {
  for await (const event of output) {
    if (event.type === 'output') await written(terminal[event.stream], event.bytes ?? event.text);
    if (event.type === 'exit') return event;
  }
  return undefined;
}

export async function kill({ sandbox, args: [id = ''], options }: Context): Promise<undefined> {
  await sandbox.command(id).kill(textOf(options['signal'])).catch(unknownCommand);
}

function unknownCommand(error: unknown): never {
  if (!isNotFound(error)) throw error;
  const { message } = error as Error;
  throw new SandboxError(message, { hint: 'sandbox ps -a lists those that exist', cause: error });
}

function textOf(value: string | true | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** @throws UsageError */
export function numberOf(name: string, value: string | true | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!(number > 0)) throw new UsageError(`--${name} is not a number above 0: ${value}`);
  return number;
}
