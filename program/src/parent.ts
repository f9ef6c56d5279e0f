import process from 'node:process';

/** Set by a launcher that keeps the program's standard input open during its own lifetime. */
export const PARENT_PIPE = 'SVC_PARENT_PIPE';

let hasLauncher = false;

/** Stops the program, and with it what a launcher or a supervisor that is its parent runs beside it. */
export function stopAll(isSupervised: boolean): void {
  process.kill(hasLauncher || isSupervised ? process.ppid : process.pid, 'SIGTERM');
}

/**
 * If a launcher has set `SVC_PARENT_PIPE`, stops the program as by SIGTERM when standard input ends, which means that
 * the launcher has exited or crashed. Removes the variable, so that children do not inherit it.
 */
export function stopWithParent(env: Record<string, string | undefined>): void {
  if (!env[PARENT_PIPE]) return;
  delete env[PARENT_PIPE];
  hasLauncher = true;
  const stop = (): void => {
    process.kill(process.pid, 'SIGTERM');
  };
  process.stdin.once('error', stop).once('end', stop).resume();
}
