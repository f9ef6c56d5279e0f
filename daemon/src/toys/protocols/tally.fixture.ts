import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProtocolCall, ProtocolService } from '../../http/protocols/protocol.ts';
import { defineProtocol } from '../../protocol.ts';

const FILE = 'count';

export const tallies: number[] = [];

/** Counts its requests in its directory. */
class TallyService implements ProtocolService {
  readonly #file: string;

  constructor(directory: string) {
    this.#file = join(directory, FILE);
    if (existsSync(this.#file)) tallies.push(Number(readFileSync(this.#file, 'utf8')));
  }

  serve({ res }: ProtocolCall): void {
    const count = existsSync(this.#file) ? Number(readFileSync(this.#file, 'utf8')) + 1 : 1;
    writeFileSync(this.#file, String(count));
    res.end(String(count));
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** A toy with a record that outlives the daemon. */
export const tally = defineProtocol({
  name: 'tally',
  refusal: ({ status }) => ({ contentType: 'application/json', body: JSON.stringify({ tally: status }) }),
  isPending: (directory) => existsSync(join(directory, FILE)),
  load: async (_core, _options, _ports, directory) => new TallyService(directory),
  report: () => ({ port: 4321, level: 'some', missing: ['subtraction'] }),
});
