import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Waiters } from '@sandbox/api/wait.ts';
import type { ProcessTarget } from '../../process-host.ts';
import { type KeeperConnection, SILENT_HINT } from '../keeper-connection.ts';
import { type FrameReader, FrameWriter, REQUEST } from '../keeper-frames.ts';
import { KeeperAnswers } from './keeper-answers.ts';

/** Targets of one SIGNAL (`docs/keeper.md`). */
const MAX_TARGETS = 4096;
/** Requests that wait for an answer; the keeper disconnects a client with more than 64 times as many targets. */
const MAX_UNDER_WAY = 64;
/** Milliseconds that the keeper may take: it looks for processes at most 64 times, usually for milliseconds. */
const ANSWER_MS = 15_000;

/** Requests that the keeper answers with SIGNALLED: how many processes it found. A keeper that ends found none. */
export class KeeperRequests {
  readonly #answers = new KeeperAnswers<number>(0);
  readonly #places = new Waiters();

  /** Signals all processes of the targets, or only counts them where `signal` is 0; answers how many there were. */
  async findAndSignal(
    connection: KeeperConnection,
    targets: readonly ProcessTarget[],
    signal: number,
  ): Promise<number> {
    let sum = 0;
    for (let at = 0; at < targets.length; at += MAX_TARGETS) {
      const some = targets.slice(at, at + MAX_TARGETS);
      sum += await this.#send(connection, (request) => signalFrame(request, signal, some));
    }
    return sum;
  }

  /** Returns whether the terminal of the process has a foreground group. */
  async signalForeground(connection: KeeperConnection, id: string, signal: number): Promise<boolean> {
    const frame = (request: number): FrameWriter =>
      new FrameWriter(REQUEST.foreground).u32(request).u32(signal).text(id);
    return (await this.#send(connection, frame)) > 0;
  }

  /** A SIGNALLED. */
  answered(frame: FrameReader): void {
    this.#answers.answered(frame.u32(), frame.u32());
  }

  /** The keeper ended. */
  answerAll(): void {
    this.#answers.answerAll();
  }

  /** @throws SandboxError `unavailable` if the keeper does not answer in time */
  async #send(connection: KeeperConnection, frame: (request: number) => FrameWriter): Promise<number> {
    const deadline = performance.now() + ANSWER_MS;
    while (this.#answers.size >= MAX_UNDER_WAY) {
      if ((await this.#places.next({ ms: deadline - performance.now() })) === 'timeout') throw unanswered();
    }
    const count = await this.#answers.ask(connection, frame, deadline - performance.now());
    this.#places.wake();
    if (count === 'silent') throw unanswered();
    return count;
  }
}

export function unanswered(): SandboxError {
  return new SandboxError('unavailable', 'the process keeper does not answer', { hint: SILENT_HINT });
}

function signalFrame(request: number, signal: number, targets: readonly ProcessTarget[]): FrameWriter {
  const frame = new FrameWriter(REQUEST.signal).u32(request).u32(signal).u32(targets.length);
  for (const { id, pid, running, identity } of targets) {
    frame.text(id).u32(pid).flag(running).account(identity);
  }
  return frame;
}
