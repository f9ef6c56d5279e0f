import { waitFor } from '@sandbox/api/wait.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import { hasEnded } from '../runtime/has-ended.ts';
import type { InterpreterProcesses, InterpreterProgram } from '../runtime/interpreter-processes.ts';
import type { Interpreter, InterpreterSpec } from '../runtime/language-runtime.ts';
import type { OutputEvent } from '../runtime/output.ts';
import { startError } from '../runtime/start-failure.ts';
import { markName } from './cell-mark.ts';
import { ChannelInterpreter, type Dialect } from './channel-interpreter.ts';
import { type HeldState, heldStateOf, newHeldState } from './held-state.ts';
import { MarkedOutput } from './marked-output.ts';

/** Milliseconds that an interpreter may take to start, and then to greet. */
const START_MS = 20_000;
const GREETING_MS = 5000;
/** Milliseconds that one of an earlier daemon may take to greet; one whose code does not return greets later. */
const ATTACH_MS = 500;
/** What is kept of a cell while no daemon reads it, for each stream. */
const OUTPUT_BYTES = 16 * 1024 * 1024;
/** The mark of an interpreter that takes cells. */
const READY = 'ready';

/** A program that listens on the control socket of its state and then marks its streams as ready. */
export type ChannelProgram = Pick<InterpreterProgram, 'runtime' | 'file' | 'env'> & {
  /** `mark`: the name of the mark of an interpreter that takes cells. */
  readonly args: (state: HeldState, mark: string) => readonly string[];
  readonly dialect: Dialect;
};

/** @throws SandboxError `unavailable` if it does not start in time */
export async function openChannel(
  processes: InterpreterProcesses,
  spec: InterpreterSpec,
  { args, dialect, ...program }: ChannelProgram,
): Promise<Interpreter> {
  const directory = processes.directories.make(spec.identity);
  const state = newHeldState(directory.path);
  try {
    const process = await processes.start(spec, {
      ...program,
      args: args(state, markName(state.token, READY)),
      stdin: 'null',
      state,
      outputMaxBytes: OUTPUT_BYTES,
    });
    await ready(process, state, processes);
    const interpreter = new ChannelInterpreter({ process, processes, directory, state }, dialect);
    await waitFor(interpreter.hello, { ms: GREETING_MS });
    return interpreter;
  } catch (error) {
    directory[Symbol.dispose]();
    throw error;
  }
}

/** Undefined if the process does not listen any more. One that has ended is read to the end of its output. */
export async function attachChannel(
  processes: InterpreterProcesses,
  process: HostedProcess,
  stored: unknown,
  dialect: Dialect,
): Promise<Interpreter | undefined> {
  const state = heldStateOf(stored);
  const directory = state && processes.directories.find(state.directory);
  if (state === undefined || directory === undefined) return undefined;
  const interpreter = new ChannelInterpreter({ process, processes, directory, state }, dialect);
  const isAnswer = (await waitFor(interpreter.hello, { ms: ATTACH_MS })) === 'settled';
  if (!isAnswer || (await interpreter.hello) !== undefined) return interpreter;
  return (await hasEnded(process)) ? interpreter : undefined;
}

async function ready(process: HostedProcess, { token }: HeldState, processes: InterpreterProcesses): Promise<void> {
  const said: string[] = [];
  const sink = { write: (event: OutputEvent) => void (event.type === 'stream' && said.push(event.text)) };
  const late = AbortSignal.timeout(START_MS);
  if ((await new MarkedOutput(process.output, token).copy(READY, sink, late)) !== undefined) return;
  const failure = await startError(process, {
    what: 'the interpreter',
    instead: `it did not answer within ${START_MS / 1000} s`,
    said: said.join('').trim().split('\n').slice(-3).join(' ').slice(-500),
    hint: 'GET /v2/code/info lists the languages that there are',
  });
  await processes.end(process);
  throw failure;
}
