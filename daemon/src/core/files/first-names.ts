import { opendirSync } from 'node:fs';

/**
 * Names in a directory, at most that many: an account can put a million into one of its own, whose reading would hold
 * the main thread for seconds. @throws what opening the directory throws
 */
export function firstNames(directory: string, most: number): string[] {
  using entries = opendirSync(directory);
  const names: string[] = [];
  for (let entry = entries.readSync(); entry && names.length < most; entry = entries.readSync()) names.push(entry.name);
  return names;
}
