import { requireExpandable } from './expand-braces.ts';
import { Glob, type GlobTerms } from './glob.ts';

/** One pattern in the manner of a line of .gitignore. */
interface Rule {
  /** Beginning with `!`. */
  readonly negated: boolean;
  /** Ending with `/`. */
  readonly directoriesOnly: boolean;
  /** Without a slash it speaks of names wherever they are, else of the path from the root. */
  readonly byName: boolean;
  readonly glob: Glob;
}

/** Patterns of which the last one that fits decides. */
export class GlobRules {
  readonly #rules: readonly Rule[];

  /** @throws RangeError for patterns that stand for too many or too long ones */
  constructor(patterns: readonly string[], terms: GlobTerms = {}) {
    requireExpandable(patterns);
    this.#rules = patterns.map((pattern) => parseRule(pattern, terms));
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** Any of them without `!`. */
  get hasPositive(): boolean {
    return this.#rules.some(({ negated }) => !negated);
  }

  /** What the last pattern that fits says of the path itself; undefined if none does. */
  judge(path: string, isDirectory: boolean): 'matched' | 'negated' | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const rule = this.#rules.findLast(
      ({ byName, directoriesOnly, glob }) => (isDirectory || !directoriesOnly) && glob.matches(byName ? name : path),
    );
    return rule && (rule.negated ? 'negated' : 'matched');
  }
}

function parseRule(pattern: string, terms: GlobTerms): Rule {
  const negated = pattern.startsWith('!');
  const text = negated ? pattern.slice(1) : pattern;
  const directoriesOnly = text.length > 1 && text.endsWith('/');
  const core = directoriesOnly ? text.slice(0, -1) : text;
  const byName = !core.includes('/');
  return { negated, directoriesOnly, byName, glob: new Glob(core.startsWith('/') ? core.slice(1) : core, terms) };
}
