import type { StartSpec } from '../../../core/process/process-host.ts';
import type { ExecFile, ExecFiles } from '../exec/exec-files.ts';
import { quoted } from '../exec/exec-script.ts';

/** Bytes of a program with its variables that a client passes to the server; a message of tmux has at most 16 KiB. */
const PASSED_BYTES = 8 * 1024;

export interface TmuxProgram {
  /** As the last arguments of `new-session`. */
  readonly argv: readonly string[];
  /**
   * The script that starts a program whose arguments and variables are too long for tmux. It removes itself where its
   * account may; else it is removed at the end of its session.
   */
  readonly script?: ExecFile;
}

/** How tmux starts the program of a session with its variables alone. @throws SandboxError `disk_full` */
export function tmuxProgram({ file, args, env, identity }: StartSpec, files: ExecFiles): TmuxProgram {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const argv = ['env', '-i', ...variables, file, ...args];
  if (argv.reduce((sum, argument) => sum + Buffer.byteLength(argument) + 1, 0) <= PASSED_BYTES)
    return { argv: argv.map(literal) };
  const command = argv.map(quoted).join(' ');
  const script = files.write(identity, (path) => `rm -f -- ${quoted(path)} 2>/dev/null\nexec ${command}\n`);
  return { argv: ['/bin/sh', script.path], script };
}

/** Escapes a semicolon at the end of an argument, which would end the tmux command. */
function literal(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument;
}
