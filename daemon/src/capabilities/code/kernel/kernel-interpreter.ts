import { randomUUID } from 'node:crypto';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { AccountDirectory } from '../runtime/account-directories.ts';
import { afterFirst } from '../runtime/after-first.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type { Cell, CellEnd, Interpreter } from '../runtime/language-runtime.ts';
import { LEAVE_MS, leave } from '../runtime/leave.ts';
import { GAP, type Had, type OutputSink } from '../runtime/output.ts';
import { readRecord } from './cell-record.ts';
import type { KernelClient } from './kernel-client.ts';
import type { Message } from './protocol/message.ts';
import { RunningCell } from './running-cell.ts';

/** Milliseconds that a kernel may take to confirm an interrupt before it gets a signal. */
const CONFIRM_MS = 500;
/** Milliseconds in which a kernel that has closed its sockets ends by itself. */
const END_MS = 2000;
/** Milliseconds that a warm kernel may take to change its directory. */
const ENTER_MS = 5000;
/** What ipykernel takes for the end of input. */
const END_OF_INPUT = '\u0004';
/** Milliseconds that the import of a module may take. */
const PRELOAD_MS = 60_000;
/** Milliseconds after which a kernel that has not confirmed its preparation is prepared again. */
const PREPARE_MS = 30_000;
/** Milliseconds that a kernel of an earlier daemon may take to publish to this one. */
const CONTROL_MS = 3000;
/** Variables that only the start of an interpreter reads. */
const READ_AT_START = /^(?:PYTHON|LD_|MALLOC_|MPL|OMP_|OPENBLAS_|LANG$|LC_|PATH$|HOME$|TZ$)/;

export interface KernelParts {
  readonly process: HostedProcess;
  readonly client: KernelClient;
  readonly directory: AccountDirectory;
  readonly processes: InterpreterProcesses;
  readonly interruptMode: 'signal' | 'message';
  /** It runs `kernel-program.ts`: it keeps what its newest cell has published, and leaves on request. */
  readonly isRecorded: boolean;
}

/** A Jupyter kernel. */
export class KernelInterpreter implements Interpreter {
  readonly process: HostedProcess;
  readonly #parts: KernelParts;
  #running: RunningCell | undefined;
  #ending: Promise<void> | undefined;
  #prepared: string | undefined;

  constructor(parts: KernelParts) {
    this.#parts = parts;
    this.process = parts.process;
    parts.client.listen({
      published: (message) => this.#running?.published(message),
      inputRequested: (request) => this.#asked(request),
      closed: () => this.#connectionLost(),
    });
    void this.process.ended.then(() => this.#running?.end('died'));
  }

  run({ id, code, takesInput = false, preparation }: Cell, sink: OutputSink): Promise<CellEnd> {
    const running = this.#cell(id, sink);
    return this.#follow(running, () => {
      void this.#prepare(preparation);
      this.#parts.client.send('shell', id, 'execute_request', {
        code,
        silent: false,
        store_history: true,
        user_expressions: {},
        allow_stdin: takesInput,
        stop_on_error: false,
      });
    });
  }

  async resume({ id }: Cell, sink: OutputSink, had: Had): Promise<CellEnd> {
    const running = this.#cell(id, afterFirst(sink, had));
    running.hold();
    const asking = new AbortController();
    try {
      return await this.#follow(running, () => void this.#recall(running, sink, asking.signal));
    } finally {
      asking.abort();
    }
  }

  async interrupt(): Promise<void> {
    const { client, interruptMode, processes } = this.#parts;
    const reply = await client.request('control', 'interrupt_request', {}, CONFIRM_MS);
    const isConfirmed = reply !== undefined && reply.content['status'] !== 'error';
    if (isConfirmed || interruptMode === 'message') return;
    await processes.signal(this.process, 'SIGINT');
  }

  answer(text: string | undefined): void {
    this.#parts.client.send('stdin', randomUUID(), 'input_reply', { value: text ?? END_OF_INPUT });
  }

  async enter(cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
    if (Object.keys(env).some((name) => READ_AT_START.test(name)))
      throw new Error('the variables are read at the start');
    const values = JSON.stringify(JSON.stringify([cwd, env]));
    const code = `(lambda o, v: (o.chdir(v[0]), o.environ.update(v[1])))(__import__('os'), __import__('json').loads(${values}))`;
    if (!(await this.#runSilently(code, ENTER_MS))) throw new Error('the kernel did not enter the directory');
  }

  /** Imports modules of Python, and what a first cell imports; one that cannot be imported is left out. */
  async preload(modules: readonly string[]): Promise<void> {
    await this.#runSilently('get_ipython().display_formatter.format(1)', PRELOAD_MS);
    for (const name of modules) await this.#runSilently(`__import__(${JSON.stringify(name)})`, PRELOAD_MS);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#leave();
    return this.#ending;
  }

  /** The kernel answers in order: the cell need not wait, and does not begin if an interrupt ends this. */
  async #prepare(code: string | undefined): Promise<void> {
    if (code === undefined || code === this.#prepared) return;
    if (await this.#runSilently(code, PREPARE_MS)) this.#prepared = code;
  }

  /** Returns whether the code ran without an error; no state of the session tells of it. */
  async #runSilently(code: string, ms: number): Promise<boolean> {
    const content = { code, silent: true, store_history: false, allow_stdin: false, user_expressions: {} };
    const reply = await this.#parts.client.request('shell', 'execute_request', content, ms);
    return reply?.content['status'] === 'ok';
  }

  /** Finds out how far a cell of an earlier daemon has come. Never rejects. */
  async #recall(running: RunningCell, sink: OutputSink, signal: AbortSignal): Promise<void> {
    const { client, isRecorded } = this.#parts;
    if (isRecorded) await client.awaitPublished('control', CONTROL_MS, signal).catch(ignore);
    const record = isRecorded ? await readRecord(client, running.id) : undefined;
    if (!record?.isWhole) sink.write(GAP);
    running.recall(record);
    // The shell answers in order: an answer without a reply to the cell means that no client was there for the reply.
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    const question = randomUUID();
    using _answer = client.onReply(question, () => resolve());
    client.send('shell', question, 'kernel_info_request', {});
    if (running.hasReplied || (await waitFor(answered, { signal })) !== 'settled' || running.hasReplied) return;
    if (isRecorded) running.recall(await readRecord(client, running.id));
    if (!running.hasReplied) running.end('lost');
  }

  /** A prompt that belongs to no cell would wait for ever. */
  #asked(request: Message | undefined): void {
    if (request && this.#running?.asked(request)) return;
    void this.interrupt();
  }

  #cell(id: string, sink: OutputSink): RunningCell {
    const { client } = this.#parts;
    return new RunningCell(id, sink, (question) => client.send('shell', question, 'kernel_info_request', {}));
  }

  async #follow(running: RunningCell, begin: () => void): Promise<CellEnd> {
    const { client } = this.#parts;
    this.#running = running;
    using _replies = client.onReply(running.id, (reply) => running.replied(reply));
    try {
      begin();
      const end = await running.ended;
      return running.hasExited ? await this.#exited(end) : end;
    } finally {
      this.#running = undefined;
    }
  }

  /** A kernel that ends by itself takes cells for a while, which it would not run to their end. */
  async #exited(end: CellEnd): Promise<CellEnd> {
    if ((await waitFor(this.process.ended, { ms: LEAVE_MS })) !== 'settled') {
      this.#ending ??= this.#end();
      return end;
    }
    return { ...end, exitCode: (await this.process.ended).exitCode };
  }

  /** Without its sockets nothing can be known of a kernel; it is ended if it has not ended by itself. */
  #connectionLost(): void {
    this.#ending ??= this.#endWithoutSockets();
  }

  /** A kernel that is killed for lack of memory closes its sockets first: a kill of ours would hide why it ended. */
  async #endWithoutSockets(): Promise<void> {
    await waitFor(this.process.ended, { ms: END_MS });
    await this.#end();
  }

  /** A cell that runs would be waited for: then the kernel is killed. Jupyter: messaging, kernel shutdown. */
  async #leave(): Promise<void> {
    const { client, isRecorded } = this.#parts;
    const type = isRecorded ? 'svc_leave_request' : 'shutdown_request';
    const ask = (): void => client.send('control', randomUUID(), type, { restart: false });
    if (this.#running === undefined) await leave(this.process, ask);
    await this.#end();
  }

  async #end(): Promise<void> {
    const { processes, client, directory } = this.#parts;
    await processes.end(this.process);
    this.#running?.end('died');
    client[Symbol.dispose]();
    directory[Symbol.dispose]();
  }
}
