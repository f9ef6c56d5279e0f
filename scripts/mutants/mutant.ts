/** A small defect: text of one file that is replaced by another text. */
export interface Mutant {
  /** Unique in its area. */
  readonly id: string;
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly text: string;
  readonly replacement: string;
}

/** Mutants that are judged by the same tests. */
export interface MutantArea {
  readonly name: string;
  /** Folders of the tests that have to fail, relative to the root. */
  readonly tests: readonly string[];
  readonly mutants: readonly Mutant[];
}

/** A mutant with the area it belongs to. */
export interface Candidate {
  readonly area: MutantArea;
  readonly mutant: Mutant;
  /** `area/id`. */
  readonly name: string;
}

export function candidatesOf(areas: readonly MutantArea[]): Candidate[] {
  return areas.flatMap((area) => area.mutants.map((mutant) => ({ area, mutant, name: `${area.name}/${mutant.id}` })));
}

/** The source with the defect. @throws Error where the text does not occur exactly once, or nothing would change */
export function mutated(source: string, { file, text, replacement }: Omit<Mutant, 'id'>): string {
  if (text === replacement) throw new Error(`the replacement changes nothing in ${file}: ${firstLine(text)}`);
  const at = source.indexOf(text);
  if (text === '' || at < 0) throw new Error(`the text does not occur in ${file}: ${firstLine(text)}`);
  if (source.indexOf(text, at + 1) >= 0)
    throw new Error(`the text occurs more than once in ${file}: ${firstLine(text)}`);
  return source.slice(0, at) + replacement + source.slice(at + text.length);
}

function firstLine(text: string): string {
  return JSON.stringify(text.trim().split('\n', 1)[0]);
}
