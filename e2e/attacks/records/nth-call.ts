import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import type { FixtureBuilds } from '../../../daemon/src/core/process/keeper/fixture-builds.fixture.ts';

const INT = 4;

export interface Failure {
  /** Number of the first call below the directory that fails, from 1. */
  readonly first: number;
  readonly errno: number;
  /** Calls that fail in a row. */
  readonly row: number;
}

/** The switch of the preloaded library that fails a call (`fail-nth-call.fixture.c`). */
export class NthCall {
  readonly env: Record<string, string>;
  readonly #path: string;

  constructor(builds: FixtureBuilds, controlPath: string, below: string) {
    this.#path = controlPath;
    writeFileSync(controlPath, Buffer.alloc(4 * INT));
    this.env = { ...builds.preload('fail-nth-call'), FAIL_CONTROL: controlPath, FAIL_BELOW: below };
  }

  arm({ first, errno, row }: Failure): void {
    const numbers = Buffer.alloc(4 * INT);
    for (const [index, number] of [first, errno, row].entries()) numbers.writeInt32LE(number, index * INT);
    this.#write(numbers, 0);
  }

  /** @returns how many calls have failed */
  disarm(): number {
    this.#write(Buffer.alloc(INT), 0);
    const number = Buffer.alloc(INT);
    const fd = openSync(this.#path, 'r');
    readSync(fd, number, 0, INT, 3 * INT);
    closeSync(fd);
    return number.readInt32LE();
  }

  /** In place, since the library has mapped the file. */
  #write(bytes: Buffer, position: number): void {
    const fd = openSync(this.#path, 'r+');
    writeSync(fd, bytes, 0, bytes.length, position);
    closeSync(fd);
  }
}
