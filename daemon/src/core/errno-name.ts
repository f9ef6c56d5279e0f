import { constants } from 'node:os';

/** The errno name of a failed system call, or '' where the error is of another kind. */
export function errnoName(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The name of a number of errno(3) on this system. */
export function nameOfErrno(errno: number): string {
  return Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`;
}
