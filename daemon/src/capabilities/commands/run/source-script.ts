import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Command } from './command.ts';

/** Seconds that a script may take. */
const SOURCE_SECONDS = 10;
const ENVIRONMENT_BYTES = 1024 ** 2;
/** Exit code of the command below if the script cannot be read (EX_NOINPUT in sysexits.h). */
const UNREADABLE = 66;

/** The shell's state of its own, which no session carries. */
const SHELL_STATE = /^(?:_|PWD|OLDPWD|SHLVL|SHELLOPTS|BASHOPTS|SVC_COMMAND_ID|__svc_.*)$/;

/**
 * A command that sources a script and prints the environment before and after it. Variables and functions of the script
 * are exported, since the environment carries both to the commands of the session.
 */
export function sourceCommand(path: string): {
  readonly command: string;
  readonly shell: 'auto';
  readonly hardTimeout: number;
} {
  const script = `'${path.replaceAll("'", `'\\''`)}'`;
  const command = `[ -f ${script} ] && [ -r ${script} ] || exit ${UNREADABLE}
__svc_env=$(command -v env)
"$__svc_env" -0
printf '\\0'
set -a
. ${script} </dev/null >/dev/null 2>&1
set +a
exec "$__svc_env" -0`;
  return { command, shell: 'auto', hardTimeout: SOURCE_SECONDS };
}

/** The variables that the script of an ended command set or changed. @throws SandboxError `invalid` */
export async function environmentSetBy({ record, output }: Command, path: string): Promise<Record<string, string>> {
  if (record.exitCode === UNREADABLE) throw invalid(`is not a file that can be read: ${path}`);
  if (record.status === 'timed_out') throw invalid(`did not end within ${SOURCE_SECONDS} s: ${path}`);
  if (record.exitCode !== 0) throw invalid(`ended the shell that sourced it: ${path}`);
  const { end } = output.stdout;
  if (end > ENVIRONMENT_BYTES) throw invalid(`sets over ${ENVIRONMENT_BYTES} bytes of variables: ${path}`);
  const pieces: Buffer[] = [];
  for (let at = 0; at < end; ) {
    const { bytes } = await output.stdout.read(at, end - at);
    if (bytes.length === 0) break;
    pieces.push(bytes);
    at += bytes.length;
  }
  const [before = '', after = ''] = Buffer.concat(pieces).toString('utf8').split('\0\0');
  const known = new Set(before.split('\0'));
  const changed = after.split('\0').filter((entry) => entry.includes('=') && !known.has(entry));
  const variables = changed.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]);
  return Object.fromEntries(variables.filter(([name = '']) => name !== '' && !SHELL_STATE.test(name)));
}

function invalid(message: string): SandboxError {
  return new SandboxError('invalid', message, { field: 'snapshotPath' });
}
