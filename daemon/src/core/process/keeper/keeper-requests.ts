import type { ProcessTarget } from '../process-host.ts';
import type { KeeperConnection } from './keeper-connection.ts';
import { type FrameReader, FrameWriter, REQUEST } from './keeper-frames.ts';

/** Targets of one SIGNAL (`docs/keeper.md`). */
const MAX_TARGETS = 4096;

/** Requests that the keeper answers with SIGNALLED: how many processes it found. A keeper that ends found none. */
export class KeeperRequests {
  readonly #answers = new Map<number, (count: number) => void>();
  #last = 0;

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

  /** Answers whether the terminal of the process has a foreground group. */
  async signalForeground(connection: KeeperConnection, id: string, signal: number): Promise<boolean> {
    const frame = (request: number): FrameWriter =>
      new FrameWriter(REQUEST.foreground).u32(request).u32(signal).text(id);
    return (await this.#send(connection, frame)) > 0;
  }

  /** A SIGNALLED. */
  answered(frame: FrameReader): void {
    const request = frame.u32();
    this.#answers.get(request)?.(frame.u32());
    this.#answers.delete(request);
  }

  /** The keeper ended. */
  answerAll(): void {
    for (const answer of this.#answers.values()) answer(0);
    this.#answers.clear();
  }

  async #send(connection: KeeperConnection, frame: (request: number) => FrameWriter): Promise<number> {
    if (!connection.isOpen) return 0;
    const request = ++this.#last % 0x1_0000_0000;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#answers.set(request, resolve);
    connection.send(frame(request));
    return promise;
  }
}

function signalFrame(request: number, signal: number, targets: readonly ProcessTarget[]): FrameWriter {
  const frame = new FrameWriter(REQUEST.signal).u32(request).u32(signal).u32(targets.length);
  for (const { id, pid, running, identity } of targets) {
    frame.text(id).u32(pid).flag(running).account(identity);
  }
  return frame;
}
