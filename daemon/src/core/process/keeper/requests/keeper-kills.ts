import type { MemoryKill } from '../../process-host.ts';
import type { KeeperConnection } from '../keeper-connection.ts';
import { type FrameReader, FrameWriter, REQUEST } from '../keeper-frames.ts';
import { KeeperAnswers } from './keeper-answers.ts';

/** Milliseconds that an answer may wait for a keeper that is silent. */
const ANSWER_MS = 250;

/** Asks the keeper which kills for memory it knows (`docs/keeper.md`, KILLS). */
export class KeeperKills {
  readonly #answers = new KeeperAnswers<MemoryKill | undefined>(undefined);

  /** Undefined if nothing of the process was killed, or the keeper does not answer in time. */
  async ask(connection: KeeperConnection, id: string): Promise<MemoryKill | undefined> {
    const frame = (request: number): FrameWriter => new FrameWriter(REQUEST.kills).u32(request).text(id);
    const answer = await this.#answers.ask(connection, frame, ANSWER_MS);
    return answer === 'silent' ? undefined : answer;
  }

  /** KILLS. */
  answered(frame: FrameReader): void {
    const request = frame.u32();
    const kills = frame.u32();
    const kill = { msAgo: frame.u64(), program: frame.text() };
    this.#answers.answered(request, kills === 0 ? undefined : kill);
  }

  /** The keeper ended. */
  answerAll(): void {
    this.#answers.answerAll();
  }
}
