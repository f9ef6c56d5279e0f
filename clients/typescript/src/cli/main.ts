#!/usr/bin/env node
import process from 'node:process';
import { type CommandSpec, type Context, UsageError } from './command-spec.ts';
import { firstError } from './first-error.ts';
import { Held } from './held.ts';
import { printable, printableJson } from './one-line.ts';
import { commandPlace, parse, requireArguments } from './parse.ts';
import { COMMANDS } from './specs.ts';

/** Exit code of a program that SIGPIPE ends. */
const CLOSED_PIPE = 141;

const held = new Held();

// If the event loop ends before the command does, that is no success.
process.exitCode = 125;
process.on('uncaughtException', (error) => {
  const code = failed(error, undefined);
  void held.end('SIGTERM').then(() => process.exit(code));
});
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

/** @returns the exit code */
async function main(words: readonly string[]): Promise<number> {
  const place = commandPlace(words);
  const spec = COMMANDS.find(({ name }) => name === words[place]);
  try {
    const { args, options } = parse(spec, spec ? words.toSpliced(place, 1) : words);
    if (options['version']) return await version();
    const isHelp = args[0] === 'help' && !spec;
    if (options['help'] || words.length === 0 || isHelp) return await help(spec, isHelp ? args[1] : undefined);
    if (!spec) throw new UsageError(`unknown command: ${args[0] ?? ''}`);
    requireArguments(spec, args);
    return await use(spec, args, options);
  } catch (error) {
    return failed(error, spec);
  }
}

async function version(): Promise<number> {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  process.stdout.write(`${manifest.version}\n`);
  return 0;
}

/** @param name of `sandbox help NAME` */
async function help(spec: CommandSpec | undefined, name: string | undefined): Promise<number> {
  const { helpOf, overview } = await import('./help.ts');
  const shown = name === undefined ? spec : COMMANDS.find((each) => each.name === name);
  if (name !== undefined && !shown) throw new UsageError(`unknown command: ${name}`);
  process.stdout.write(shown ? helpOf(shown) : overview());
  return 0;
}

async function use(spec: CommandSpec, args: readonly string[], options: Context['options']): Promise<number> {
  const [command, { connect }] = await Promise.all([spec.load(), import('./connection.ts')]);
  const print = (text: string, value: unknown): void => {
    process.stdout.write(options['json'] ? `${printableJson(value)}\n` : printable(text));
  };
  const sandbox = await connect({ name: spec.name, options, terminal: process });
  const context = { commands: COMMANDS, sandbox, held, args, options, print, terminal: process };
  return (await command(context)) ?? 0;
}

interface Failure {
  readonly message?: string;
  readonly hint?: string | null;
  readonly code?: string;
}

function failed(error: unknown, spec: CommandSpec | undefined): number {
  const { message, hint, code } = firstError(error) as Failure;
  // Its reader has left, such as `head`.
  if (code === 'EPIPE') return CLOSED_PIPE;
  process.stderr.write(`sandbox: ${printable(message ?? String(error))}\n`);
  if (hint) process.stderr.write(`${printable(hint)}\n`);
  if (!(firstError(error) instanceof UsageError)) return 125;
  process.stderr.write(`sandbox ${spec?.name ?? ''} --help shows the usage\n`.replace('  ', ' '));
  return 2;
}
