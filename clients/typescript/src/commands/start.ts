import { randomId } from '../core/random-id.ts';
import type { Transport } from '../core/transport.ts';

export interface StartOptions {
  /** Absolute; default: the home of the account. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  /** A command session, whose directory and variables are the defaults. */
  readonly session?: string | undefined;
  /** Arguments; then the command is a program, without a shell. */
  readonly args?: readonly string[] | undefined;
  /** `bash`, `sh` or an absolute path; default: bash, else sh. */
  readonly shell?: string | undefined;
  /** Seconds after which all processes of the command are ended. */
  readonly timeout?: number | undefined;
  /** Ends the wait, not the command. */
  readonly signal?: AbortSignal | undefined;
}

/** The body that starts a command, with a key that makes it start once. */
export function startBody(transport: Transport, command: string, options: StartOptions): Record<string, unknown> {
  const { cwd, env, user = transport.settings.user, session, args, shell, timeout } = options;
  return {
    command,
    cwd,
    env,
    user,
    session,
    args,
    shell: args === undefined ? shell : 'none',
    hard_timeout: timeout,
    idempotency_key: randomId(),
  };
}
