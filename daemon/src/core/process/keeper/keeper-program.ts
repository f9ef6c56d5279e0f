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

/** The keeper's program: the given one, else the one that was built; `isThere` says whether it can be run. */
export function keeperProgram(given: string | undefined): { readonly path: string; readonly isThere: boolean } {
  const path = given ?? BUILT;
  try {
    accessSync(path, constants.X_OK);
    return { path, isThere: true };
  } catch {
    return { path, isThere: false };
  }
}
