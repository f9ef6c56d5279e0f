import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileWriter, PartWriter } from './file-writer.ts';
import type { KilledDaemon } from './killed-daemon.ts';
import type { Ledger } from './ledger.ts';
import { commandSessions, terminals } from './session-writer.ts';
import { CellWriter, CommandWriter } from './start-writer.ts';
import { StdinWriter } from './stdin-writer.ts';
import type { Surroundings, Writer } from './writer.ts';

/** How often a client does which, of 100 times. */
const SHARES = [50, 20, 14, 6, 4, 3, 1, 2] as const;

function writersOf(surroundings: Surroundings): readonly Writer[] {
  return [
    new StdinWriter(surroundings),
    new FileWriter(surroundings),
    new PartWriter(surroundings),
    new CommandWriter(surroundings),
    commandSessions(surroundings),
    new CellWriter(surroundings, false),
    terminals(surroundings),
    new CellWriter(surroundings, true),
  ];
}

/** One client, which does one thing after another. */
export class Client {
  readonly #with: Surroundings;
  readonly #writers: readonly Writer[];

  constructor(surroundings: Surroundings) {
    this.#with = surroundings;
    this.#writers = writersOf(surroundings);
  }

  /** Until `isOver`, settling after each death of the daemon. */
  async work(isOver: () => boolean): Promise<void> {
    for (let { kills } = this.#with.daemon; !isOver(); ) {
      await this.#pick().act();
      if (kills === this.#with.daemon.kills) continue;
      kills = this.#with.daemon.kills;
      for (const writer of this.#writers) await writer.settle();
    }
  }

  /** Each thing once, all at the same time. */
  async workOnce(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.act()));
  }

  async settle(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.settle()));
  }

  async finish(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.finish()));
  }

  #pick(): Writer {
    const at = this.#with.random() * 100;
    const index = SHARES.findIndex((_, last) => at < SHARES.slice(0, last + 1).reduce((sum, share) => sum + share, 0));
    return this.#writers[index] ?? unreachable();
  }
}

/** A file that programs append their tokens to. */
export class RunFile {
  readonly path: string;

  constructor(directory: string) {
    this.path = join(directory, 'ran');
    writeFileSync(this.path, '');
  }

  /** Waits until programs that were acknowledged have run, at most a minute, then compares. */
  async compare(daemon: KilledDaemon, ledger: Ledger): Promise<void> {
    const until = Date.now() + 60_000;
    while (ledger.missingIn(this.#lines()).length > 0 && Date.now() < until) await daemon.ask('/v2/commands?limit=1');
    ledger.compare(this.#lines());
  }

  #lines(): string[] {
    return readFileSync(this.path, 'utf8').split('\n');
  }
}

function unreachable(): never {
  throw new Error('a client without writers');
}
