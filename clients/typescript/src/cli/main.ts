#!/usr/bin/env node
import process from 'node:process';
import { type CommandSpec, type Context, UsageError } from './command-spec.ts';
import { firstError } from './first-error.ts';
import { printable, printableJson } from './one-line.ts';
import { parse, requireArguments } from './parse.ts';
import { COMMANDS } from './specs.ts';

// If the event loop ends before the command does, that is no success.
process.exitCode = 125;
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

/** @returns the exit code */
async function main(words: readonly string[]): Promise<number> {
  const spec = COMMANDS.find(({ name }) => name === words[0]);
  try {
    const { args, options } = parse(spec, spec ? words.slice(1) : words);
    if (options['help'] || words.length === 0 || (words[0] === 'help' && args.length < 2)) {
      const { helpOf, overview } = await import('./help.ts');
      process.stdout.write(spec ? helpOf(spec) : overview());
      return 0;
    }
    if (!spec) throw new UsageError(`unknown command: ${args[0] ?? ''}`);
    requireArguments(spec, args);
    return await use(spec, args, options);
  } catch (error) {
    return failed(error, spec);
  }
}

async function use(spec: CommandSpec, args: readonly string[], options: Context['options']): Promise<number> {
  const [command, { connect }] = await Promise.all([spec.load(), import('./connection.ts')]);
  const print = (text: string, value: unknown): void => {
    process.stdout.write(options['json'] ? `${printableJson(value)}\n` : printable(text));
  };
  const sandbox = await connect({ name: spec.name, options, terminal: process });
  const context = { commands: COMMANDS, sandbox, args, options, print, terminal: process };
  return (await command(context)) ?? 0;
}

function failed(error: unknown, spec: CommandSpec | undefined): number {
  const { message, hint } = firstError(error) as { readonly message?: string; readonly hint?: string | null };
  process.stderr.write(`sandbox: ${printable(message ?? String(error))}\n`);
  if (hint) process.stderr.write(`${printable(hint)}\n`);
  if (!(firstError(error) instanceof UsageError)) return 125;
  process.stderr.write(`sandbox ${spec?.name ?? ''} --help shows the usage\n`.replace('  ', ' '));
  return 2;
}
