import { OutcomeUnknown } from '../../core/errors.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { Context } from '../command-spec.ts';
import { written } from '../written.ts';

const END_OF_INPUT = Buffer.from([4]);
/** Ctrl-]. */
const LEAVE = 0x1d;

export async function shell({
  sandbox,
  args: [id],
  held,
  terminal: { stdin, stdout, stderr },
}: Context): Promise<number> {
  const size = { cols: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
  const opening = sandbox.terminal({ id, ...size });
  const end = async (): Promise<void> => {
    if (id === undefined) await (await opening).close();
  };
  return await held.during({ end }, async () => await attached(await opening, { stdin, stdout, stderr }, end));
}

type Streams = Pick<Context['terminal'], 'stdin' | 'stdout' | 'stderr'>;

async function attached(
  terminal: Terminal,
  { stdin, stdout, stderr }: Streams,
  end: () => Promise<void>,
): Promise<number> {
  const leave = new AbortController();
  const keys = (data: Buffer): void => {
    if (stdin.isTTY && data.includes(LEAVE)) leave.abort();
    else type(terminal, data, stderr);
  };
  const resize = (): void => void terminal.resize(stdout.columns, stdout.rows).catch(() => undefined);
  if (stdin.isTTY) stdin.setRawMode(true);
  // As a terminal has it: Ctrl-D, which ends the shell.
  const close = (): void => type(terminal, END_OF_INPUT, stderr);
  stdin.on('data', keys).on('end', close);
  stdout.on('resize', resize);
  try {
    return await show(terminal, stdout, leave.signal);
  } finally {
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.off('data', keys).off('end', close).pause();
    stdout.off('resize', resize);
    await end();
  }
}

/** @returns the exit code of the terminal, or 0 when it is left */
async function show(terminal: Terminal, stdout: NodeJS.WriteStream, signal: AbortSignal): Promise<number> {
  try {
    for await (const event of terminal.output({ since: 0, signal })) {
      if (event.type === 'output') await written(stdout, event.bytes);
      if (event.type === 'exit') return event.exitCode ?? 1;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return 0;
}

/** A key whose call was cut is not typed again: it may have been typed. */
function type(terminal: Terminal, data: Buffer, stderr: NodeJS.WriteStream): void {
  terminal.write(data).catch((error: unknown) => {
    if (!(error instanceof OutcomeUnknown)) stderr.write(`\r\nsandbox: ${String(error)}\r\n`);
  });
}
