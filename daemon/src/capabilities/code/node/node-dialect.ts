import { pollUntil, waitFor } from '@sandbox/api/wait.ts';
import type { Dialect, Held, Prepared } from '../held/channel-interpreter.ts';
import { ControlChannel, type Message } from '../held/control-channel.ts';
import { type HeldState, watchSocket } from '../held/held-state.ts';
import type { Cell } from '../runtime/language-runtime.ts';
import { withAuthorsLines } from './transform/line-map.ts';
import type { TransformError } from './transform/transform-protocol.ts';
import type { TransformThread } from './transform/transform-thread.ts';

/** Milliseconds after which JavaScript that does not return is ended, and then what it waits for. */
const TERMINATE_AFTER_MS = 100;
const SIGNAL_AFTER_MS = 500;
/** Milliseconds in which the watching thread has to be there: it starts with the first cell, on a busy machine late. */
const WATCH_MS = 1800;
/** Milliseconds between two attempts to reach it. */
const WATCH_EVERY_MS = 20;
/** Milliseconds that V8 may take to end what runs: as long as a program that code waits for. */
const ENDED_MS = 5000;
/** What needs a parser; a word inside a text costs the way to the thread and changes nothing. */
const MODULE_WORD = /\b(?:import|export)\b/;

/** How cells of JavaScript and TypeScript reach an interpreter. */
export class NodeDialect implements Dialect {
  readonly #thread: TransformThread;

  readonly force = [
    { afterMs: TERMINATE_AFTER_MS, act: terminate },
    { afterMs: SIGNAL_AFTER_MS, act: ({ processes, process }: Held) => processes.signal(process, 'SIGINT') },
  ];

  constructor(thread: TransformThread) {
    this.#thread = thread;
  }

  async prepare({ language, code, isLast, files }: Cell): Promise<Prepared> {
    const extension = language === 'typescript' ? 'ts' : 'js';
    const common = { extension, isLast: isLast === true, ...(files && { files }) };
    if (extension === 'js' && !MODULE_WORD.test(code)) return { message: { ...common, code } };
    const { code: plain, error, lines } = await this.#thread.transform(language, code);
    if (error) return { message: {}, error: describe(error, `cell.${extension}`, code) };
    return { message: { ...common, code: plain }, correct: lines && ((message) => withLines(message, lines)) };
  }
}

/** The report of a cell that Node has written again, with the lines of its author. */
function withLines(message: Message, lines: readonly number[]): Message {
  const error = message['error'];
  if (typeof error !== 'object' || error === null) return message;
  const { traceback } = error as Message;
  if (!Array.isArray(traceback)) return message;
  const script = `cell-${message['count']}.ts`;
  const corrected = traceback.map((line: unknown) => withAuthorsLines(String(line), script, lines));
  return { ...message, error: { ...error, traceback: corrected } };
}

/** V8 ends what runs; the interpreter then reads that its cell was interrupted. */
async function terminate({ state }: Held, done: Promise<unknown>): Promise<void> {
  let isOver = false;
  void done.then(() => {
    isOver = true;
  });
  await pollUntil(async () => isOver || (await hasEnded(state, done)), { everyMs: WATCH_EVERY_MS, ms: WATCH_MS });
}

/** Returns false if the thread does not listen yet, and if the cell was over before it did. */
async function hasEnded(state: HeldState, done: Promise<unknown>): Promise<boolean> {
  const ended = Promise.withResolvers<void>();
  using channel = new ControlChannel(watchSocket(state), state.token, (message) => {
    if (message['ended'] === true) ended.resolve();
  });
  const isThere = channel.hello.then((hello) => hello !== undefined);
  const isOver = done.then(() => false);
  const either = Promise.race([isThere, isOver]);
  if ((await waitFor(either, { ms: WATCH_MS })) !== 'settled' || !(await either)) return false;
  channel.send({ end: true });
  await waitFor(Promise.race([ended.promise, channel.closed]), { ms: ENDED_MS });
  return true;
}

function describe({ name, message, line, column }: TransformError, script: string, code: string): Message {
  const place = line === undefined ? [] : [`${script}:${line}`, ...shown(code, line, column ?? 1), ''];
  return { ename: name, evalue: message, traceback: [...place, `${name}: ${message}`] };
}

function shown(code: string, line: number, column: number): string[] {
  const source = code.split('\n')[line - 1]?.slice(0, 500) ?? '';
  return [source, `${' '.repeat(Math.min(column - 1, 500))}^`];
}
