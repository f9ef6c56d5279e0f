import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** A reader of Server-Sent Events that reports when an event with a given text arrives. */
export class EventStream implements Disposable {
  readonly #answer: IncomingMessage;
  #wanted: { readonly text: string; readonly resolve: (at: number) => void } | undefined;

  private constructor(answer: IncomingMessage) {
    this.#answer = answer;
    answer.on('data', (chunk: Buffer) => {
      const wanted = this.#wanted;
      if (wanted && chunk.includes(wanted.text)) wanted.resolve(performance.now());
    });
    answer.on('error', () => undefined);
  }

  static async open(port: number, path: string): Promise<EventStream> {
    const [answer] = await once(get({ host: '127.0.0.1', port, path }), 'response');
    return new EventStream(answer);
  }

  /** Performs an action and returns the milliseconds until the text arrives. */
  async untilSeen(text: string, act: () => void): Promise<number> {
    const seen = Promise.withResolvers<number>();
    this.#wanted = { text, resolve: seen.resolve };
    const begun = performance.now();
    act();
    return (await seen.promise) - begun;
  }

  [Symbol.dispose](): void {
    this.#answer.destroy();
  }
}
