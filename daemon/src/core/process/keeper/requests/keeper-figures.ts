import { waitFor } from '@sandbox/api/wait.ts';
import type { KeeperConnection } from '../keeper-connection.ts';
import { type FrameReader, FrameWriter, REQUEST } from '../keeper-frames.ts';
import { KeeperAnswers } from './keeper-answers.ts';

/** The figures of FIGURES (`docs/keeper.md`), in their order there. */
export const KEEPER_FIGURES = {
  keeper_processes: 'Processes that the keeper holds, ended ones that are not acknowledged included.',
  keeper_living_processes: 'Processes that run, or whose output is open.',
  keeper_starting: 'Starts under way.',
  keeper_reserved: 'Ids that are reserved for processes which forkers will hand over.',
  keeper_searches: 'Requests that look for processes, under way.',
  keeper_started_total: 'Processes that were started or taken over since the keeper began.',
  keeper_adopted_total: 'Processes that forkers have handed over since the keeper began.',
  keeper_ended_total: 'Processes that have ended since the keeper began.',
  keeper_output_bytes_total: 'Bytes of output written to files since the keeper began.',
  keeper_dropped_bytes_total: 'Bytes of output that the disk refused since the keeper began.',
  keeper_complaints_total: 'Failures that the keeper has noted in its log.',
} as const;

type KeeperFigure = keyof typeof KEEPER_FIGURES;

const NAMES = Object.keys(KEEPER_FIGURES) as KeeperFigure[];
/** Milliseconds after which a keeper is silent that has not answered: it never waits for anything. */
const ANSWER_MS = 2000;

export type Figures = Readonly<Partial<Record<KeeperFigure, number>>>;

/** Asks the keeper for its figures, which shows too that it answers. */
export class KeeperFigures {
  readonly #answers = new KeeperAnswers<Figures | undefined>(undefined);
  #asking: Promise<Figures | undefined> | undefined;

  /** Undefined if the keeper does not answer in time; concurrent callers share one question. */
  ask(connection: () => Promise<KeeperConnection | undefined>): Promise<Figures | undefined> {
    this.#asking ??= this.#ask(connection).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** FIGURES. */
  answered(frame: FrameReader): void {
    const request = frame.u32();
    const values = Array.from({ length: frame.u8() }, () => frame.u64());
    const named = values.flatMap((value, at) => (NAMES[at] ? [[NAMES[at], value]] : []));
    this.#answers.answered(request, Object.fromEntries(named));
  }

  /** The keeper ended. */
  answerAll(): void {
    this.#answers.answerAll();
  }

  async #ask(connect: () => Promise<KeeperConnection | undefined>): Promise<Figures | undefined> {
    const frame = (request: number): FrameWriter => new FrameWriter(REQUEST.figures).u32(request);
    const asked = connect().then((connection) => connection && this.#answers.ask(connection, frame, ANSWER_MS));
    const answer = (await waitFor(asked, { ms: ANSWER_MS })) === 'settled' ? await asked : undefined;
    return answer === 'silent' ? undefined : answer;
  }
}
