import { basename } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { findTool } from '../../../core/tool-path.ts';

/** The program and the arguments that run a command. */
export interface ShellPlan {
  readonly file: string;
  readonly args: readonly string[];
  /** A script too long for one argument; the program reads it from descriptor 3. */
  readonly script?: string;
}

/** Linux takes at most 128 KiB in one argument (MAX_ARG_STRLEN in execve(2)). */
const MAX_ARGUMENT_BYTES = 131_071;

/** Shells of the POSIX sh language, which can read a whole script before its first line runs. */
const POSIX_SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'dash', 'ash', 'ksh', 'mksh', 'zsh']);

/** Closes the descriptor for the script's children; `$0`, `exit` and here-documents behave as with `-c`. */
const EVALUATE_DESCRIPTOR_3 = 'eval "exec 3<&-; $(cat <&3)"';

/**
 * @param shell `auto` (bash, else sh), `bash`, `sh`, `none` (the command is a program), or the absolute path of a shell
 * @param path the PATH of the account
 * @throws SandboxError `invalid` if there are arguments for a shell, or no program is named
 */
export function planShell(
  command: string,
  shell: string,
  args: readonly string[] | undefined,
  path: string,
): ShellPlan {
  if (shell === 'none') {
    if (command === '')
      throw new SandboxError('invalid', 'command is empty: with shell "none" it is the program to run');
    return { file: command, args: args ?? [] };
  }
  if (args !== undefined && args.length > 0) {
    throw new SandboxError('invalid', 'args is only for shell "none"', {
      hint: 'set "shell": "none", or write the arguments into the command',
    });
  }
  const file = shell === 'auto' ? (findTool('bash', path) ?? 'sh') : shell;
  if (Buffer.byteLength(command) <= MAX_ARGUMENT_BYTES) return { file, args: ['-c', command] };
  return POSIX_SHELLS.has(basename(file))
    ? { file, args: ['-c', EVALUATE_DESCRIPTOR_3], script: command }
    : { file, args: ['/dev/fd/3'], script: command };
}
