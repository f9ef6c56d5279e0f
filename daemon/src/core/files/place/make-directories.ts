import { systemFailure } from '../file-failure.ts';
import type { FilePath } from '../file-path.ts';
import type { Owner } from '../ownership.ts';
import { makeDirectory } from './make-directory.ts';
import { Place } from './place.ts';

/**
 * Makes a directory and the missing ones above it; each one made belongs to the owner.
 * @returns whether the directory itself was made
 * @throws as `mkdir` does; `EEXIST` if something else stands in its place
 */
export function makeDirectories(path: FilePath, owner: Owner | undefined): boolean {
  using place = Place.find(path, 'mkdir', { follow: true });
  if (place.existing?.isDirectory()) return false;
  if (place.existing || place.isDangling) throw systemFailure('EEXIST', 'mkdir', place.shown);
  place.makeParents(owner);
  using _made = makeDirectory(place, owner);
  return true;
}

/** Makes one directory in an existing one. @throws as `mkdir` does */
export function makeOneDirectory(path: FilePath, owner: Owner | undefined): void {
  using place = Place.find(path, 'mkdir', { follow: false });
  place.requireEntry();
  using _made = makeDirectory(place, owner);
}
