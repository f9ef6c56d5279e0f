import { waitFor } from '@sandbox/api/wait.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { AccountDirectory } from '../runtime/account-directories.ts';
import { afterFirst } from '../runtime/after-first.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type { Cell, CellEnd, Interpreter } from '../runtime/language-runtime.ts';
import { leave } from '../runtime/leave.ts';
import { type Had, inputRequest, type OutputSink } from '../runtime/output.ts';

import { cellEnd, exitEnd } from './cell-end.ts';
import { markName } from './cell-mark.ts';
import { ControlChannel, type Message } from './control-channel.ts';
import { controlSocket, type HeldState } from './held-state.ts';
import { MarkedOutput } from './marked-output.ts';

/** Milliseconds in which the marks have to follow the report of a cell. */
const MARK_MS = 2000;
/** Milliseconds that a measure which ends a cell may take before the next one is tried. */
const FORCE_MS = 500;
/** Milliseconds that a cell waits for the measures against the one before it: they would end it. */
const FORCED_MS = 6000;
/** Milliseconds that an interpreter may take to enter a directory. */
const ENTER_MS = 5000;
/** Milliseconds in which the channel of a process that has ended is read to its end. */
const LAST_REPORT_MS = 1000;
/** Milliseconds in which a process ends that has closed its channel; later it is killed. */
const CLOSE_MS = 1000;

/** What a cell is turned into before it is sent. `error` ends it without a run. */
export interface Prepared {
  readonly message: Message;
  /** What the interpreter reports in the words of the author of the code. */
  readonly correct?: ((message: Message) => Message) | undefined;
  readonly error?: Message;
}

/** How a language talks to its interpreter. */
export interface Dialect {
  /** The code as the interpreter takes it, and under which name tracebacks show it. */
  prepare(cell: Cell): Promise<Prepared>;
  /** After the message `interrupt`: what is done, and after how many milliseconds, as long as the cell runs. */
  readonly force: readonly Force[];
}

interface Force {
  readonly afterMs: number;
  /** Resolves when it has no more effect on what runs; `done` settles when the cell has ended. */
  readonly act: (held: Held, done: Promise<unknown>) => Promise<void>;
}

/** An interpreter, and what belongs to it. */
export interface Held {
  readonly process: HostedProcess;
  readonly processes: InterpreterProcesses;
  readonly directory: AccountDirectory;
  readonly state: HeldState;
}

interface Running {
  readonly id: string;
  readonly sink: OutputSink;
  readonly settle: (message: Message | undefined) => void;
  readonly done: Promise<Message | undefined>;
}

/**
 * An interpreter that takes cells on a control socket and writes what they print to its own streams, so that a cell
 * cannot confuse the two, and both outlive the daemon.
 */
export class ChannelInterpreter implements Interpreter {
  readonly process: HostedProcess;
  readonly #held: Held;
  readonly #dialect: Dialect;
  readonly #channel: ControlChannel;
  readonly #output: MarkedOutput;
  #running: Running | undefined;
  #hasEnded = false;
  /** Measures that may still have an effect. */
  #forced: Promise<unknown> | undefined;
  #entered: (() => void) | undefined;

  constructor(held: Held, dialect: Dialect) {
    this.process = held.process;
    this.#held = held;
    this.#dialect = dialect;
    this.#output = new MarkedOutput(held.process.output, held.state.token);
    this.#channel = new ControlChannel(controlSocket(held.state), held.state.token, (message) => this.#take(message));
    void held.process.ended.then(async () => {
      // The last report may still be in the socket; a process that was forked in a cell can hold it open.
      await waitFor(this.#channel.closed, { ms: LAST_REPORT_MS });
      this.#hasEnded = true;
      this.#running?.settle(undefined);
    });
    void this.#channel.closed.then(() => this.#endWithChannel());
  }

  /** The greeting of the interpreter. @see ControlChannel.hello */
  get hello(): Promise<Message | undefined> {
    return this.#channel.hello;
  }

  async run(cell: Cell, sink: OutputSink): Promise<CellEnd> {
    const { message, error, correct } = await this.#dialect.prepare(cell);
    if (error) return cellEnd({ error }, sink);
    await this.#channel.hello;
    if (this.#forced !== undefined) await waitFor(this.#forced, { ms: FORCED_MS });
    this.#output.skip();
    return this.#follow(
      cell,
      sink,
      () =>
        this.#channel.send({
          run: cell.id,
          mark: markName(this.#held.state.token, cell.id),
          input: cell.takesInput,
          ...message,
        }),
      correct,
    );
  }

  async resume(cell: Cell, sink: OutputSink, had: Had): Promise<CellEnd> {
    await this.#output.rewind(cell.id);
    return this.#follow(
      cell,
      afterFirst(sink, had),
      () => void this.#channel.hello.then((hello) => this.#recall(cell, hello)),
    );
  }

  async interrupt(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#channel.send({ interrupt: running.id });
    for (const { afterMs, act } of this.#dialect.force) {
      if ((await waitFor(running.done, { ms: afterMs })) === 'settled') return;
      // The measure may cut the report of the end: the interpreter then repeats it.
      const acted = act(this.#held, running.done).finally(() => this.#channel.send({ interrupt: running.id }));
      this.#mayAct(acted);
      await waitFor(acted, { ms: FORCE_MS });
    }
  }

  #mayAct(acted: Promise<void>): void {
    const forced = Promise.allSettled([this.#forced, acted]).then(() => {
      if (this.#forced === forced) this.#forced = undefined;
    });
    this.#forced = forced;
  }

  answer(text: string | undefined): void {
    this.#channel.send({ answer: text ?? null });
  }

  async enter(cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
    const entered = Promise.withResolvers<void>();
    this.#entered = entered.resolve;
    await this.#channel.hello;
    this.#channel.send({ enter: { cwd, env } });
    if ((await waitFor(entered.promise, { ms: ENTER_MS })) !== 'settled') {
      throw new Error(`the interpreter does not enter ${cwd}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const hasGreeted = (await waitFor(this.#channel.hello, { ms: 0 })) === 'settled';
    if (hasGreeted && this.#running === undefined) await leave(this.process, () => this.#channel.send({ leave: true }));
    await this.#held.processes.end(this.process);
    this.#channel[Symbol.dispose]();
    this.#held.directory[Symbol.dispose]();
  }

  async #follow(
    cell: Cell,
    sink: OutputSink,
    begin: () => void,
    correct = (message: Message): Message => message,
  ): Promise<CellEnd> {
    const { promise: done, resolve: settle } = Promise.withResolvers<Message | undefined>();
    const running: Running = { id: cell.id, sink, settle, done };
    this.#running = running;
    if (this.#hasEnded) settle(undefined);
    const late = new AbortController();
    const copying = this.#output.copy(cell.id, sink, late.signal);
    begin();
    const message = await done;
    if ((await waitFor(copying, { ms: MARK_MS })) !== 'settled') late.abort();
    const code = await copying;
    if (this.#running === running) this.#running = undefined;
    return message === undefined ? exitEnd(code, cell, sink) : cellEnd(correct(message), sink);
  }

  #take(message: Message): void {
    if (message['entered'] === true) this.#entered?.();
    if (message['ask'] === this.#running?.id) this.#running?.sink.write(inputRequest(message));
    if (message['done'] === this.#running?.id && this.#running) this.#running.settle(message);
  }

  /** A greeting tells which cell runs, and how the last one ended. */
  #recall(cell: Cell, hello: Message | undefined): void {
    if (hello === undefined || this.#running?.id !== cell.id) return;
    if (hello['running'] === cell.id) {
      const input = hello['input'];
      if (typeof input === 'object' && input !== null) this.#running.sink.write(inputRequest(input as Message));
      return;
    }
    const last = hello['last'];
    const isIt = typeof last === 'object' && last !== null && (last as Message)['done'] === cell.id;
    this.#running.settle(isIt ? (last as Message) : { lost: true });
  }

  async #endWithChannel(): Promise<void> {
    if ((await waitFor(this.process.ended, { ms: CLOSE_MS })) === 'settled') return;
    await this.#held.processes.signal(this.process, 'SIGKILL');
  }
}
