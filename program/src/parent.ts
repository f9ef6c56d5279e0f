import process from 'node:process';

/** Set by a launcher that holds the program's standard input open for as long as it lives. */
export const PARENT_PIPE = 'SVC_PARENT_PIPE';

/**
 * Where a launcher has set `SVC_PARENT_PIPE`, the end of standard input means that the launcher is gone, however it
 * ended: the program then stops as if by SIGTERM. The variable is removed, so that it is not handed on.
 */
export function stopWithParent(env: Record<string, string | undefined>): void {
  if (!env[PARENT_PIPE]) return;
  delete env[PARENT_PIPE];
  const stop = (): void => {
    process.kill(process.pid, 'SIGTERM');
  };
  process.stdin.once('error', stop).once('end', stop).resume();
}
