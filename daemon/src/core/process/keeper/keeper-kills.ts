import { waitFor } from '@sandbox/api/wait.ts';
import type { MemoryKill } from '../process-host.ts';
import type { KeeperConnection } from './keeper-connection.ts';
import { type FrameReader, FrameWriter, REQUEST } from './keeper-frames.ts';

/** Milliseconds that an answer may wait for a keeper that is silent. */
const ANSWER_MS = 250;

/** Asks the keeper which kills for memory it knows (`docs/keeper.md`, KILLS). */
export class KeeperKills {
  readonly #waiting = new Map<number, (kill: MemoryKill | undefined) => void>();
  #last = 0;

  /** Undefined where nothing of the process was killed, or the keeper does not answer in time. */
  async ask(connection: KeeperConnection, id: string): Promise<MemoryKill | undefined> {
    if (!connection.isOpen) return undefined;
    const request = ++this.#last % 0x1_0000_0000;
    const { promise, resolve } = Promise.withResolvers<MemoryKill | undefined>();
    this.#waiting.set(request, resolve);
    connection.send(new FrameWriter(REQUEST.kills).u32(request).text(id));
    const answered = (await waitFor(promise, { ms: ANSWER_MS })) === 'settled';
    this.#waiting.delete(request);
    return answered ? promise : undefined;
  }

  /** KILLS. */
  answered(frame: FrameReader): void {
    const request = frame.u32();
    const kills = frame.u32();
    const kill = { msAgo: frame.u64(), program: frame.text() };
    this.#waiting.get(request)?.(kills === 0 ? undefined : kill);
  }

  /** The keeper ended. */
  answerAll(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined);
  }
}
