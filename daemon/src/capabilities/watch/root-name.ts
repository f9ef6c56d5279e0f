import { type Stats, statSync } from 'node:fs';
import { type ByteName, byteNameOf, bytesOf } from '../../core/files/byte-name.ts';
import { asFileFailure } from '../../core/files/file-failure.ts';
import { bytesOfPath, type FilePath, shownPath } from '../../core/files/file-path.ts';

/** The path without repeated and trailing slashes and single dots, so that one directory has one name. */
export function rootName(path: FilePath): ByteName {
  const names = byteNameOf(bytesOfPath(path)).split('/');
  return `/${names.filter((name) => name !== '' && name !== '.').join('/')}`;
}

/** @throws FileFailure if nothing can be reached at the path */
export function existingRoot(path: FilePath): ByteName {
  const root = rootName(path);
  try {
    statSync(bytesOf(root));
  } catch (error) {
    throw asFileFailure(error, 'watch', shownPath(path));
  }
  return root;
}

/** Undefined if the root does not exist or cannot be reached. */
export function statRoot(root: ByteName): Stats | undefined {
  try {
    return statSync(bytesOf(root), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
