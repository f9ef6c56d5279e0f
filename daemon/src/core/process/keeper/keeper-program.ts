import { accessSync, constants } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const NAME = 'keeper';

/** The keeper that was built: beside the bundle, which has its parts in `chunks/`; from source, in `dist/`. */
const BUILT = join(
  basename(import.meta.dirname) === 'keeper'
    ? join(import.meta.dirname, '../../../../../dist')
    : basename(import.meta.dirname) === 'chunks'
      ? dirname(import.meta.dirname)
      : import.meta.dirname,
  NAME,
);

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

function programAt(path: string): BuiltProgram {
  try {
    accessSync(path, constants.X_OK);
    return { path, isThere: true };
  } catch {
    return { path, isThere: false };
  }
}
