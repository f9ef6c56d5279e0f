import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { inheritedEnvironment } from './config.ts';

/** Where a program is, looked up on PATH at the time of the call; undefined if it is not. */
export function findTool(
  program: string,
  path: string | undefined = inheritedEnvironment()['PATH'],
): string | undefined {
  return (path ?? '')
    .split(':')
    .filter((directory) => directory.startsWith('/'))
    .map((directory) => join(directory, program))
    .find(isExecutableFile);
}

function isExecutableFile(path: string): boolean {
  try {
    // Most directories of a PATH lack the program, and an exception for each would cost more than the rest of a start.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
