import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { BUILT_DIRECTORY } from '@sandbox/program/built-directory.ts';

/** The keeper that was built. */
const BUILT = join(BUILT_DIRECTORY, 'keeper');

/** `isThere` says whether it can be run. */
interface BuiltProgram {
  readonly path: string;
  readonly isThere: boolean;
}

/** The keeper's program: the given one, else the one that was built. */
export function keeperProgram(given: string | undefined): BuiltProgram {
  return programAt(given ?? BUILT);
}

/** The program that watches (`docs/keeper.md`, Watching), which lies beside that of the keeper. */
export function watchProgram(given: string | undefined): BuiltProgram {
  return programAt(`${given ?? BUILT}-watch`);
}

/** The program that walks, reads and changes a tree (`docs/keeper.md`, Trees), which lies there too. */
export function treeProgram(given: string | undefined): BuiltProgram {
  return programAt(`${given ?? BUILT}-tree`);
}

function programAt(path: string): BuiltProgram {
  try {
    accessSync(path, constants.X_OK);
    return { path, isThere: true };
  } catch {
    return { path, isThere: false };
  }
}
