/** The errno name of a failed system call, or '' where the error is of another kind. */
export function errnoName(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
