import type { CommandExit, OutputEvent, OutputStream } from '../../commands/output.ts';
import { isNotFound, SandboxError } from '../../core/errors.ts';
import { type Context, UsageError } from '../command-spec.ts';
import { oneLine } from '../one-line.ts';
import { written } from '../written.ts';

/** As shells do: 124 for the time limit, 128 and the signal's place for a signal. */
function exitCodeOf({ status, exitCode }: Pick<CommandExit, 'status' | 'exitCode'>): number {
  if (status === 'timed_out') return 124;
  return exitCode === null || exitCode < 0 ? 137 : exitCode;
}

export async function runCommand({ sandbox, args, options, print, terminal }: Context): Promise<number | undefined> {
  const [command = '', ...rest] = args;
  const start = {
    args: rest.length === 0 ? undefined : rest,
    cwd: textOf(options['cwd']),
    timeout: numberOf('timeout', options['timeout']),
  };
  if (options['detach']) {
    const { id } = await sandbox.spawn(command, start);
    print(`${id}\n`, { id });
    return undefined;
  }
  if (options['json']) {
    const result = await sandbox.run(command, { ...start, check: false });
    print('', result);
    return exitCodeOf(result);
  }
  const onOutput = (text: string, stream: OutputStream): Promise<void> => written(terminal[stream], text);
  const result = await sandbox.run(command, { ...start, check: false, maxOutput: 0, onOutput });
  if (result.message !== null) terminal.stderr.write(`sandbox: ${result.message}\n`);
  return exitCodeOf(result);
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
    const end = await show(command.output(), context);
    return options['follow'] && end ? exitCodeOf(end) : undefined;
  }
  const signal = AbortSignal.timeout(READ_MS);
  await show(command.output({ signal }), context).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return undefined;
}

async function show(output: AsyncIterable<OutputEvent>, { terminal }: Context): Promise<CommandExit | undefined> {
  for await (const event of output) {
    if (event.type === 'output') await written(terminal[event.stream], event.text);
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
