import type { CellOutput } from './cell.ts';

/** The last outputs of a cell, in memory that does not depend on their number. */
export class KeptOutputs {
  readonly #most: number;
  readonly #kept: { readonly output: CellOutput; readonly size: number }[] = [];
  #size = 0;
  isCut = false;

  /** @param most characters */
  constructor(most: number) {
    this.#most = most;
  }

  add(output: CellOutput): void {
    const size = sizeOf(output);
    this.#kept.push({ output, size });
    this.#size += size;
    // Not for each one, since the rest moves.
    if (this.#size > 2 * this.#most) this.#cut();
  }

  all(): readonly CellOutput[] {
    this.#cut();
    return this.#kept.map(({ output }) => output);
  }

  #cut(): void {
    let count = 0;
    for (const { size } of this.#kept) {
      if (this.#size <= this.#most) break;
      this.#size -= size;
      count += 1;
    }
    this.#kept.splice(0, count);
    this.isCut ||= count > 0;
  }
}

/** What an output costs beside its text, in characters. */
const OUTPUT_SIZE = 200;

function sizeOf(output: CellOutput): number {
  switch (output.type) {
    case 'stream':
      return OUTPUT_SIZE + output.text.length;
    case 'error':
      return OUTPUT_SIZE + output.message.length + output.traceback.join('').length;
    default:
      return Object.values(output.data).reduce<number>((sum, value) => sum + lengthOf(value), OUTPUT_SIZE);
  }
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}
