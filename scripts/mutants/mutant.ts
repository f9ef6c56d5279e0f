import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A small defect that a test must notice: text of one file replaced by another text. */
export interface Mutant {
  readonly id: string;
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Folders and files of the tests that must fail, relative to the root. */
  readonly tests: readonly string[];
  /** Occurs exactly once in the file. */
  readonly text: string;
  readonly replacement: string;
}

/** Returns the mutants of `mutants.jsonl`: what guards rights, loss of data and the keeper. */
export function readMutants(): Mutant[] {
  const lines = readFileSync(join(import.meta.dirname, 'mutants.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Mutant);
}

/** Returns the source with the defect. @throws Error if the text does not occur exactly once or nothing would change */
export function mutated(source: string, { file, text, replacement }: Omit<Mutant, 'id' | 'tests'>): string {
  const count = text === '' ? 0 : source.split(text).length - 1;
  if (count !== 1) throw new Error(`the text occurs ${count} times in ${file}: ${JSON.stringify(text)}`);
  if (text === replacement) throw new Error(`the replacement changes nothing in ${file}: ${JSON.stringify(text)}`);
  return source.replace(text, () => replacement);
}
