import { importsOf } from './imports.ts';
import { targetOf } from './rules.ts';

/** The files of `sources` (path to text) that each file imports. */
function importGraph(sources: ReadonlyMap<string, string>): Map<string, string[]> {
  return new Map(
    [...sources].map(([file, source]) => [
      file,
      importsOf(source)
        .map(({ specifier }) => targetOf(file, specifier))
        .filter((target) => sources.has(target)),
    ]),
  );
}

/** Groups of files that import each other in a loop, each sorted. */
export function importCycles(sources: ReadonlyMap<string, string>): string[][] {
  const graph = importGraph(sources);
  const reached = new Map([...graph.keys()].map((file) => [file, reachableFrom(file, graph)]));
  const cycles = new Map<string, string[]>();
  for (const [file, targets] of reached) {
    if (!targets.has(file)) continue;
    const cycle = [...targets].filter((target) => reached.get(target)?.has(file)).toSorted();
    cycles.set(cycle.join(), cycle);
  }
  return [...cycles.values()];
}

/** All files that importing `file` loads; `file` itself only if an import leads back to it. */
function reachableFrom(file: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reachable = new Set<string>();
  const waiting = [...(graph.get(file) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reachable.has(next)) continue;
    reachable.add(next);
    waiting.push(...(graph.get(next) ?? []));
  }
  return reachable;
}
