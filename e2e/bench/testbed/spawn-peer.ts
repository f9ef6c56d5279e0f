import { HttpClient, requireOk } from './http-client.ts';
import type { Service } from './services.ts';

/** Node's own spawn, in a separate process: `e2e/bench/peers/spawns.mjs`. */
export class SpawnPeer implements Disposable {
  readonly #client: HttpClient;

  constructor({ port }: Service) {
    this.#client = new HttpClient(port);
  }

  /** Runs a program `count` times, `callers` at once. @returns milliseconds of each run, and runs per second */
  async run(
    [file, ...args]: readonly [string, ...string[]],
    callers: number,
    count: number,
  ): Promise<{ readonly times: number[]; readonly rate: number }> {
    return JSON.parse(requireOk(await this.#client.post('/run', { file, args, callers, count })));
  }

  /** Starts a program `count` times, with a pipe as standard input, and leaves it running. */
  async hold([file, ...args]: readonly [string, ...string[]], count: number): Promise<void> {
    requireOk(await this.#client.post('/hold', { file, args, count }));
  }

  /** A concurrent request. */
  async health(): Promise<void> {
    requireOk(await this.#client.get('/health'));
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}
