/** Patterns of excluded entries with `*`, `?` and `**`; one without `/` matches names at any depth. */
export function excluder(patterns: readonly string[]): (relative: string, name: string) => boolean {
  const byName = patterns.filter((pattern) => !pattern.replace(/\/$/, '').includes('/'));
  const byPath = patterns.filter((pattern) => !byName.includes(pattern)).map((pattern) => segmentsOf(pattern));
  const names = byName.map((pattern) => [...pattern.replace(/\/$/, '')]);
  return (relative, name) =>
    names.some((pattern) => matches(pattern, [...name], isOne, '*')) ||
    (byPath.length > 0 && byPath.some((pattern) => matches(pattern, segmentsOf(relative), matchesSegment, '**')));
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function matchesSegment(pattern: string, segment: string): boolean {
  return matches([...pattern], [...segment], isOne, '*');
}

function isOne(pattern: string, letter: string): boolean {
  return pattern === '?' || pattern === letter;
}

/** Backtracks to the last wildcard only, so that no match takes longer than the product of both lengths. */
function matches(
  pattern: readonly string[],
  subject: readonly string[],
  fits: (pattern: string, item: string) => boolean,
  wildcard: string,
): boolean {
  let [at, p, star, mark] = [0, 0, -1, 0];
  while (at < subject.length) {
    if (pattern[p] === wildcard) {
      [star, mark] = [p, at];
      p += 1;
    } else if (p < pattern.length && fits(pattern[p] ?? '', subject[at] ?? '')) {
      [p, at] = [p + 1, at + 1];
    } else if (star >= 0) {
      mark += 1;
      [p, at] = [star + 1, mark];
    } else {
      return false;
    }
  }
  while (pattern[p] === wildcard) p += 1;
  return p === pattern.length;
}
