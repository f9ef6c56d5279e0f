import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type FilePath, latin1Of, pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';

/** A path below the directory of a checkpoint, as a byte string; '' for the directory itself. */
export function pathBelow(root: string, path: FilePath, field: string): string {
  const given = latin1Of(path);
  const parts = given.split('/').filter((part) => part !== '' && part !== '.');
  const top = root.split('/').filter((part) => part !== '');
  const isBelow = given.startsWith('/') && top.every((part, index) => parts[index] === part);
  const below = isBelow ? parts.slice(top.length) : parts;
  if ((given.startsWith('/') && !isBelow) || below.includes('..')) {
    throw new SandboxError('invalid', `is not below the directory of the checkpoint: ${shownPath(path)}`, {
      field,
      hint: `give a path below ${shownPath(pathOfLatin1(root))}, absolute or relative to it`,
    });
  }
  return below.join('/');
}
