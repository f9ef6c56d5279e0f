import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { candidatesOf, type MutantArea, mutated } from './mutant.ts';

/** A mutant that survives, and what a test that kills it would take. */
export interface Survivor {
  /** `area/id`. */
  readonly name: string;
  readonly needs: string;
}

/** What is wrong with the lists, a line each: names that are taken twice, texts that do not occur exactly once. */
export async function listFaults(
  root: string,
  areas: readonly MutantArea[],
  survivors: readonly Survivor[],
): Promise<string[]> {
  const faults: string[] = [];
  const names = new Set<string>();
  for (const { mutant, name } of candidatesOf(areas)) {
    if (names.has(name)) faults.push(`${name}: the name is taken`);
    names.add(name);
    try {
      mutated(await readFile(join(root, mutant.file), 'utf8'), mutant);
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  faults.push(...survivors.filter(({ name }) => !names.has(name)).map(({ name }) => `${name}: no such mutant`));
  return faults;
}
