/** What the page uses of the record of a command. */
export interface Command {
  readonly command_id: string;
  readonly command: string;
  readonly status: 'pending' | 'running' | 'completed' | 'timed_out' | 'killed' | 'failed' | 'lost';
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export function isRunning({ status }: Pick<Command, 'status'>): boolean {
  return status === 'running' || status === 'pending';
}

/** `exit 3`, `SIGTERM`, `running`. */
export function endText({ status, exit_code: code, signal }: Pick<Command, 'status' | 'exit_code' | 'signal'>): string {
  if (status === 'completed') return code === 0 ? 'succeeded' : `exit ${code}`;
  if (status === 'killed' && signal) return signal;
  return status.replace('_', ' ');
}

/** How the end is coloured. */
export function toneOf(command: Pick<Command, 'status' | 'exit_code'>): 'good' | 'bad' | 'busy' {
  if (isRunning(command)) return 'busy';
  return command.status === 'completed' && command.exit_code === 0 ? 'good' : 'bad';
}
