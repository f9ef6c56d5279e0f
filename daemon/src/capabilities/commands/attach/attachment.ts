import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { type ClientPort, isBehind } from '../../../core/connection/client-port.ts';
import { type FollowEvent, follow, type Offsets } from '../output/follow.ts';
import type { Command } from '../run/command.ts';
import { endStdinAt, writeStdinAt } from '../run/command-stdin.ts';
import { controlFrame, outputFrame, parseFrame, type ToClient } from './attach-frames.ts';

/** Close code of RFC 6455 §7.4.1. */
const NORMAL = 1000;

export interface AttachTerms {
  /** Where the output begins that the client is sent. */
  readonly from: Offsets;
  /** The client may write to stdin. */
  readonly write: boolean;
}

/** A client at the three streams of a command. A slow one delays neither the command nor another client. */
export class Attachment implements Disposable {
  readonly #started: Promise<Command>;
  readonly #terms: AttachTerms;
  readonly #release: () => void;
  /** Frames are handled one after the other. */
  #turn: Promise<void> = Promise.resolve();

  /**
   * @param started settles with the command when it is not pending any more
   * @param release called when the client has left
   */
  constructor(started: Promise<Command>, terms: AttachTerms, release: () => void) {
    this.#started = started;
    this.#terms = terms;
    this.#release = release;
  }

  /** Serves the client until the command or the connection ends. */
  async serve(port: ClientPort): Promise<void> {
    const { gone } = port;
    port.onMessage((bytes, isText) => {
      this.#turn = this.#turn.then(() => this.#receive(port, bytes, isText));
      return this.#turn;
    });
    if ((await waitFor(this.#started, { signal: gone })) !== 'settled') return;
    const command = await this.#started;
    send(port, this.#ready(command));
    for await (const event of follow(command, this.#terms.from, gone, { as: 'bytes' })) {
      while (isBehind(port) && !gone.aborted) await port.drained();
      port.sendBytes(frameOf(event), ignore);
    }
    port.close(NORMAL, 'the command has ended');
  }

  [Symbol.dispose](): void {
    this.#release();
  }

  #ready(command: Command): ToClient {
    const { id, status, pid } = command.record;
    return { type: 'ready', command_id: id, status, pid, write: this.#terms.write, ...stdinState(command) };
  }

  /** What is wrong with a frame is reported, and the connection continues: offsets show what was not taken. */
  async #receive(port: ClientPort, bytes: Buffer, isText: boolean): Promise<void> {
    if ((await waitFor(this.#started, { signal: port.gone })) !== 'settled') return;
    const command = await this.#started;
    try {
      send(port, await this.#take(command, bytes, isText, port.gone));
    } catch (error) {
      if (port.gone.aborted) return;
      if (!(error instanceof SandboxError)) throw error;
      const { kind, message, details } = error;
      send(port, { type: 'error', code: kind, message, hint: details.hint ?? null, ...stdinState(command) });
    }
  }

  /** @returns the acknowledgement */
  async #take(command: Command, bytes: Buffer, isText: boolean, gone: AbortSignal): Promise<ToClient> {
    const message = parseFrame(bytes, isText);
    if (!this.#terms.write) {
      throw new SandboxError('forbidden', 'this client only reads', { hint: 'attach with write=true' });
    }
    if (message.type === 'eof') {
      await endStdinAt(command, message.offset);
      return { type: 'eof', stream: 'stdin', offset: message.offset };
    }
    return { type: 'ack', offset: await writeStdinAt(command, message.bytes, message.offset, gone) };
  }
}

function send(port: ClientPort, message: ToClient): void {
  port.sendBytes(controlFrame(message), ignore);
}

function stdinState(command: Command): { readonly stdin_offset: number; readonly stdin_open: boolean } {
  command.countStdin();
  return { stdin_offset: command.record.stdinBytes, stdin_open: command.process?.stdinIsOpen ?? false };
}

function frameOf(event: FollowEvent): Buffer {
  switch (event.type) {
    case 'bytes':
      return outputFrame(event.stream, event.offset, event.bytes);
    case 'dropped':
      return controlFrame({ type: 'gap', stream: event.stream, first_offset: event.firstOffset });
    case 'eof':
      return controlFrame(event);
    case 'exit': {
      const { status, exitCode, signal, usage, message } = event.record;
      return controlFrame({
        type: 'exit',
        status,
        exit_code: exitCode,
        signal,
        oom_killed: usage?.oomKilled ?? null,
        oom_process: usage?.oomProcess ?? null,
        stdout_bytes: event.ends.stdout,
        stderr_bytes: event.ends.stderr,
        message,
      });
    }
    default:
      return event satisfies never;
  }
}
