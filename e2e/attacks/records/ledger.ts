/** What was answered in a run, and what was found to be wrong with it afterwards. */
export class Ledger {
  readonly acknowledged: Record<string, number> = {};
  readonly faults: string[] = [];
  readonly #tokens = new Map<string, Runs>();
  refused = 0;
  cut = 0;
  toldLost = 0;
  #count = 0;

  /** A word that a program appends to a file as often as it runs. */
  token(): string {
    const token = `t${this.#count++}`;
    this.#tokens.set(token, 'perhaps');
    return token;
  }

  acknowledge(kind: string, token?: string): void {
    this.acknowledged[kind] = (this.acknowledged[kind] ?? 0) + 1;
    if (token !== undefined) this.#tokens.set(token, 'once');
  }

  /** The call was refused: what it would have started must not run. */
  refuse(token: string): void {
    this.#tokens.set(token, 'never');
  }

  /** The record says that it is lost, or was given up for room: it may have run. */
  tell(token: string): void {
    this.toldLost += 1;
    this.#tokens.set(token, 'perhaps');
  }

  get total(): number {
    return Object.values(this.acknowledged).reduce((sum, count) => sum + count, 0);
  }

  fault(what: string): void {
    this.faults.push(what);
  }

  /** Compares the lines that the programs wrote with what was answered. @returns tokens still to be awaited */
  missingIn(lines: readonly string[]): string[] {
    const found = new Set(lines);
    return [...this.#tokens].filter(([token, runs]) => runs === 'once' && !found.has(token)).map(([token]) => token);
  }

  compare(lines: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
    for (const [token, runs] of this.#tokens) {
      const count = counts.get(token) ?? 0;
      if (count < LEAST[runs] || count > MOST[runs]) this.fault(`${token} has run ${count} times, answered: ${runs}`);
    }
  }
}

type Runs = 'once' | 'never' | 'perhaps';

const LEAST = { once: 1, never: 0, perhaps: 0 };
const MOST = { once: 1, never: 0, perhaps: 1 };
