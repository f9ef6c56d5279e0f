import type { Sandbox } from '../sandbox.ts';
import type { Held } from './held.ts';

export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** Name of its value; without one it is a switch. */
  readonly value?: string;
  readonly description: string;
}

/** The environment of the process and its streams; a stream is opened when it is read here. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface Context {
  /** Every command, for completions. */
  readonly commands: readonly CommandSpec[];
  readonly terminal: Terminal;
  readonly sandbox: Sandbox;
  readonly held: Held;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | true | undefined>>;
  /** Prints a value as JSON with `--json`, else the text. */
  readonly print: (text: string, value: unknown) => void;
}

/** A command as data: help, docs/cli.md and completions are made from it. */
export interface CommandSpec {
  readonly name: string;
  /** What follows the name. */
  readonly usage: string;
  readonly summary: string;
  readonly details?: string;
  readonly options?: readonly OptionSpec[];
  /** Options end at the first argument, as those of the command that follow are not ours. */
  readonly optionsFirst?: boolean;
  /** Number of arguments, at least and at most. */
  readonly arguments: readonly [number, number];
  /** Loads the command when it is used. @returns the exit code; default 0 */
  readonly load: () => Promise<(context: Context) => Promise<number | undefined>>;
}

/** Wrong use of the command line: exit code 2 and the usage. */
export class UsageError extends Error {}

/** Without a command. */
export const VERSION_OPTION: OptionSpec = { name: 'version', description: 'print the version of the client' };

/** Options of every command. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { name: 'url', value: 'URL', description: 'address of the sandbox; default: SANDBOX_URL, else that of login' },
  { name: 'retry-for', value: 'SECONDS', description: 'wait so long for a connection; default 60' },
  { name: 'json', description: 'print JSON' },
  { name: 'help', short: 'h', description: 'show the help of a command' },
];
