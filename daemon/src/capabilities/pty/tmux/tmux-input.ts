import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause, waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { discardAtEnd } from '../../../core/process/discard-at-end.ts';
import type { HostedProcess, TerminalSize } from '../../../core/process/process-host.ts';
import { UnexecutedLines } from './unexecuted-lines.ts';

/** Bytes that one command types, since tmux bounds the length of a line. */
const PIECE_BYTES = 512;
/** Clients that are started for one write: any program of the account can end them. */
const CLIENTS = 8;
/** Milliseconds between two looks at what the server has executed. */
const LOOK_MS = 20;

export interface InputTools {
  /** Starts a client of the session in control mode. */
  readonly start: () => Promise<HostedProcess>;
  /** The value of a variable of the session, empty if it has none; undefined if there is no such session. */
  readonly read: (variable: string) => Promise<string | undefined>;
}

/**
 * Types into a tmux session by a client in control mode, which takes commands on its stdin (tmux(1), CONTROL MODE). Any
 * program of the account can end the client. Another one gets the commands that the server has not executed, so that
 * each is executed once.
 */
export class TmuxInput {
  readonly #tools: InputTools;
  readonly #target: string;
  readonly #lines: UnexecutedLines;
  /** The client that runs or is being started. */
  #client: Promise<HostedProcess>;
  /** The newest client has ended. */
  #hasEnded = false;
  #isClosed = false;
  /** Clients that were started since the last write. */
  #restarts = 0;
  /** Settles when the writes before the next one are over; never rejects. */
  #tail: Promise<void> = Promise.resolve();

  private constructor(client: HostedProcess, tools: InputTools, name: string) {
    this.#tools = tools;
    this.#target = `=${name}:`;
    this.#lines = new UnexecutedLines(`=${name}`);
    this.#client = Promise.resolve(client);
    this.#watch(this.#client);
  }

  static async open(tools: InputTools, name: string): Promise<TmuxInput> {
    return new TmuxInput(await tools.start(), tools, name);
  }

  /** Takes no more input; answers the newest client, which is the caller's from now on; undefined: it did not start. */
  async close(): Promise<HostedProcess | undefined> {
    this.#isClosed = true;
    return await this.#client.catch(() => undefined);
  }

  /** @throws SandboxError `conflict` after the end of the session */
  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const commands: string[] = [];
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const codes = Array.from(bytes.subarray(at, at + PIECE_BYTES), (byte) => byte.toString(16));
      commands.push(`send-keys -t ${this.#target} -H ${codes.join(' ')}`);
    }
    await this.#send(commands, signal);
  }

  resize({ cols, rows }: TerminalSize): void {
    // The session may have ended.
    void this.#send([`resize-window -t ${this.#target} -x ${cols} -y ${rows}`]).catch(ignore);
  }

  async #send(commands: readonly string[], signal?: AbortSignal): Promise<void> {
    const sent = this.#inOrder(async () => {
      signal?.throwIfAborted();
      this.#restarts = 0;
      for (const command of commands) {
        await this.#room(signal);
        this.#lines.add(command);
      }
      await this.#pass(signal);
    });
    await (signal ? waitFor(sent, { signal }) : sent);
    signal?.throwIfAborted();
  }

  #inOrder(task: () => Promise<void>): Promise<void> {
    const done = this.#tail.then(task);
    this.#tail = done.catch(ignore);
    return done;
  }

  /** Waits while the server has too much to execute. */
  async #room(signal: AbortSignal | undefined): Promise<void> {
    while (this.#lines.areMany) {
      await this.#pass(signal);
      await this.#lookAtServer();
      if (this.#lines.areMany) await pause(LOOK_MS, signal);
      signal?.throwIfAborted();
    }
  }

  /** Gives the lines to a client that none has got. */
  async #pass(signal?: AbortSignal): Promise<void> {
    for (let left = CLIENTS; left > 0; left -= 1) {
      if (this.#hasEnded) await this.#restart();
      if (this.#isClosed) throw new SandboxError('conflict', 'the session has ended');
      if (await this.#give(await this.#client, signal)) return;
      this.#hasEnded = true;
    }
    throw new SandboxError('conflict', 'a program of the account ends the clients of tmux that type');
  }

  /** False if the client has ended. */
  async #give(client: HostedProcess, signal: AbortSignal | undefined): Promise<boolean> {
    const text = this.#lines.take();
    try {
      if (text !== '') await client.writeStdin(Buffer.from(text), signal);
      return true;
    } catch (error) {
      if (error instanceof SandboxError && error.kind === 'conflict') return false;
      throw error;
    }
  }

  /** Starts another client if there is anything left to do. */
  async #restart(): Promise<void> {
    await this.#lookAtServer();
    if (this.#isClosed || this.#lines.areNone) return;
    this.#restarts += 1;
    const last = this.#client;
    this.#client = last.then(discardAtEnd, ignore).then(() => this.#tools.start());
    this.#hasEnded = false;
    this.#watch(this.#client);
    await this.#client;
  }

  async #lookAtServer(): Promise<void> {
    this.#lines.executed(await this.#tools.read(this.#lines.variable), this.#hasEnded);
  }

  #watch(client: Promise<HostedProcess>): void {
    void client
      .then(({ ended }) => ended, ignore)
      .then(() => {
        if (client !== this.#client) return;
        this.#hasEnded = true;
        const goesOn = !this.#isClosed && !this.#lines.areNone && this.#restarts < CLIENTS;
        if (goesOn) this.#inOrder(() => this.#pass()).catch(ignore);
      });
  }
}
