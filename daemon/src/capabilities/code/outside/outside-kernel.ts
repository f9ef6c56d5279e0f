import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { WebSocket } from 'ws';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { Message } from '../kernel/protocol/message.ts';
import { RunningCell } from '../kernel/running-cell.ts';
import { afterFirst } from '../runtime/after-first.ts';
import type { Cell, CellEnd, Interpreter } from '../runtime/language-runtime.ts';
import type { Had, OutputSink } from '../runtime/output.ts';
import { type JupyterServer, unavailable } from './jupyter-server.ts';
import { outsideMessage, outsideRequest } from './outside-message.ts';
import { OutsideProcess } from './outside-process.ts';

/** Milliseconds that a kernel may take to answer its first question, and to change its directory. */
const READY_MS = 60_000;
const ENTER_MS = 5000;

/** A kernel of a Jupyter server elsewhere. */
export class OutsideKernel implements Interpreter {
  readonly process: HostedProcess;
  readonly #server: JupyterServer;
  readonly #id: string;
  readonly #socket: WebSocket;
  readonly #replies = new Map<string, (reply: Message) => void>();
  readonly #lost: () => void;
  #running: RunningCell | undefined;
  #ending: Promise<void> | undefined;

  private constructor(server: JupyterServer, id: string, socket: WebSocket) {
    this.#server = server;
    this.#id = id;
    this.#socket = socket;
    const process = new OutsideProcess(id);
    this.process = process;
    this.#lost = () => {
      process.end();
      this.#running?.end('died');
    };
    socket.on('message', (data, isBinary) => this.#take(outsideMessage(data, isBinary)));
    socket.on('close', this.#lost);
    socket.on('error', ignore);
  }

  /** @throws SandboxError `unavailable` if the server or the kernel does not answer */
  static async connect(server: JupyterServer, id: string): Promise<OutsideKernel> {
    const socket = server.channels(id, id);
    try {
      await once(socket, 'open');
    } catch (error) {
      throw unavailable(error instanceof Error ? error.message : String(error));
    }
    return new OutsideKernel(server, id, socket);
  }

  /** @throws SandboxError `unavailable` if it does not answer */
  async ready(): Promise<void> {
    if (await this.#request('shell', 'kernel_info_request', {}, READY_MS)) return;
    throw unavailable('the kernel does not answer');
  }

  run({ id, code }: Cell, sink: OutputSink): Promise<CellEnd> {
    const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
    return this.#follow(new RunningCell(id, sink, this.#ask), () =>
      this.#send('shell', id, 'execute_request', content),
    );
  }

  async resume({ id }: Cell, sink: OutputSink, had: Had): Promise<CellEnd> {
    const running = new RunningCell(id, afterFirst(sink, had), this.#ask);
    // The shell answers in order: an answer without a reply to the cell means that the server has not kept the reply.
    return await this.#follow(running, () => {
      void this.#request('shell', 'kernel_info_request', {}, READY_MS * 15).then(() => {
        if (!running.hasReplied) running.end('lost');
      });
    });
  }

  async interrupt(): Promise<void> {
    if (this.#running) await this.#server.interrupt(this.#id).catch(ignore);
  }

  async enter(cwd: string): Promise<void> {
    const code = `__import__('os').chdir(${JSON.stringify(cwd)})`;
    const content = { code, silent: true, store_history: false, allow_stdin: false, user_expressions: {} };
    const reply = await this.#request('shell', 'execute_request', content, ENTER_MS);
    if (reply?.content['status'] !== 'ok') throw new Error(`the kernel does not enter ${cwd}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  readonly #ask = (question: string): void => this.#send('shell', question, 'kernel_info_request', {});

  #send(channel: 'shell' | 'control', msgId: string, type: string, content: object): void {
    this.#socket.send(outsideRequest(channel, msgId, type, content), ignore);
  }

  /** The cell that runs does not wait until the server has deleted the kernel. */
  async #end(): Promise<void> {
    this.#lost();
    await this.#server.delete(this.#id).catch(ignore);
    this.#socket.terminate();
  }

  async #request(channel: 'shell', type: string, content: object, ms: number): Promise<Message | undefined> {
    const msgId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Message | undefined>();
    this.#replies.set(msgId, resolve);
    void this.process.ended.then(() => resolve(undefined));
    this.#send(channel, msgId, type, content);
    const isThere = (await waitFor(promise, { ms })) === 'settled';
    this.#replies.delete(msgId);
    return isThere ? await promise : undefined;
  }

  async #follow(running: RunningCell, begin: () => void): Promise<CellEnd> {
    this.#running = running;
    this.#replies.set(running.id, (reply) => running.replied(reply));
    try {
      begin();
      return await running.ended;
    } finally {
      this.#running = undefined;
      this.#replies.delete(running.id);
    }
  }

  #take(taken: ReturnType<typeof outsideMessage>): void {
    if (taken === undefined) return;
    const { channel, message } = taken;
    if (channel === 'stdin') void this.interrupt();
    else if (channel === 'iopub') this.#published(message);
    else if (message.parent.msg_id !== undefined) this.#replies.get(message.parent.msg_id)?.(message);
  }

  /** A kernel that the server starts again has lost its state. */
  #published(message: Message): void {
    const state = message.header.msg_type === 'status' ? message.content['execution_state'] : undefined;
    if (state === 'restarting' || state === 'dead') void this[Symbol.asyncDispose]();
    else this.#running?.published(message);
  }
}
