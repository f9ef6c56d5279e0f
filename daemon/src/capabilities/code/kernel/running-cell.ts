import { randomUUID } from 'node:crypto';
import type { CellEnd } from '../runtime/language-runtime.ts';
import { inputRequest, type OutputSink } from '../runtime/output.ts';
import type { CellRecord } from './cell-record.ts';
import type { Message } from './protocol/message.ts';
import { asksExit, countOf, outputOf, pagesOf } from './protocol/output-of.ts';

/** Milliseconds after the reply without the state `idle` after which the kernel is asked if it is. */
const ASK_AFTER_MS = 1000;
/** Milliseconds after that at which the cell counts as ended: nothing of it can still come. */
const GIVE_UP_MS = 60_000;

/** A cell that a kernel runs. It has ended when its reply and the state `idle` have come (Jupyter: messaging). */
export class RunningCell {
  readonly id: string;
  readonly ended: Promise<CellEnd>;
  /** It has run `exit()`: the kernel ends by itself. */
  hasExited = false;
  readonly #sink: OutputSink;
  readonly #settle: (end: CellEnd) => void;
  #end: CellEnd | undefined;
  readonly #ask: (question: string) => void;
  #isIdle = false;
  #late: NodeJS.Timeout | undefined;
  #question: string | undefined;
  #held: Message[] | undefined;
  /** Ids of the messages that were taken, if one may come twice. */
  #seen: Set<string> | undefined;

  /**
   * @param ask has the kernel publish a state with that id: what it published for the cell has then come, also where
   * a full queue of the kernel has lost the state `idle`
   */
  constructor(id: string, sink: OutputSink, ask: (question: string) => void) {
    this.id = id;
    this.#ask = ask;
    this.#sink = sink;
    const { promise, resolve } = Promise.withResolvers<CellEnd>();
    this.ended = promise;
    this.#settle = resolve;
  }

  get hasReplied(): boolean {
    return this.#end !== undefined;
  }

  published(message: Message): void {
    if (this.#question !== undefined && message.parent.msg_id === this.#question) this.#done();
    if (message.parent.msg_id !== this.id) return;
    if (this.#held) this.#held.push(message);
    else this.#takeOnce(message);
  }

  /** Returns whether the prompt is one of the cell (Jupyter: messaging, stdin channel). */
  asked({ parent, content }: Message): boolean {
    if (parent.msg_id !== this.id) return false;
    this.#sink.write(inputRequest(content));
    return true;
  }

  /** What is published waits for `recall`. */
  hold(): void {
    this.#held = [];
  }

  /**
   * Takes what the kernel has kept of the cell, then what was held, each message once. Of a cell that has ended the
   * status is that of its outputs. Undefined: nothing is known.
   */
  recall(record: CellRecord | undefined): void {
    this.#seen ??= new Set();
    const messages = record?.messages ?? [];
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const message of [...messages, ...held]) this.#takeOnce(message);
    if (record?.input) this.#sink.write(inputRequest(record.input));
    if (!record?.isEnded) return;
    const hasFailed = messages.some(({ header }) => header.msg_type === 'error');
    this.#end ??= { status: hasFailed ? 'error' : 'ok', executionCount: record.executionCount, exitCode: null };
    this.#done();
  }

  #takeOnce(message: Message): void {
    if (this.#seen?.has(message.header.msg_id)) return;
    this.#seen?.add(message.header.msg_id);
    this.#take(message);
  }

  #take(message: Message): void {
    const output = outputOf(message);
    if (output) this.#sink.write(output);
    if (message.header.msg_type === 'status' && message.content['execution_state'] === 'idle') {
      this.#isIdle = true;
      this.#settleIfDone();
    }
  }

  replied({ content }: Message): void {
    for (const output of pagesOf(content['payload'])) this.#sink.write(output);
    this.hasExited = asksExit(content['payload']);
    const status = content['status'] === 'ok' ? 'ok' : 'error';
    this.#end = { status, executionCount: countOf(content['execution_count']), exitCode: null };
    this.#late = setTimeout(() => this.#askWhere(), ASK_AFTER_MS).unref();
    this.#settleIfDone();
  }

  /** Its reply will not come. */
  end(status: 'died' | 'lost'): void {
    if (this.#held) this.recall(undefined);
    this.#end ??= { status, executionCount: null, exitCode: null };
    this.#done();
  }

  #askWhere(): void {
    this.#question = randomUUID();
    this.#late = setTimeout(() => this.#done(), GIVE_UP_MS).unref();
    this.#ask(this.#question);
  }

  #settleIfDone(): void {
    if (this.#isIdle && this.#end) this.#done();
  }

  #done(): void {
    clearTimeout(this.#late);
    if (this.#end) this.#settle(this.#end);
  }
}
