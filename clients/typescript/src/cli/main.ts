#!/usr/bin/env node
import process from 'node:process';
import { type CommandSpec, type Context, UsageError } from './command-spec.ts';
import { parse, requireArguments } from './parse.ts';
import { COMMANDS } from './specs.ts';

process.exitCode = await main(process.argv.slice(2));

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
  const command = await spec.load();
  const { env, stdin, stdout, stderr } = process;
  const print = (text: string, value: unknown): void => {
    stdout.write(options['json'] ? `${JSON.stringify(value)}\n` : text);
  };
  const sandbox = await connect(options);
  return (await command({ commands: COMMANDS, env, sandbox, args, options, print, stdin, stdout, stderr })) ?? 0;
}

/** The key of login belongs to the address of login. */
async function connect({ url }: Context['options']): Promise<Context['sandbox']> {
  const [{ Sandbox }, { httpFetch }] = await Promise.all([import('../sandbox.ts'), import('./http-fetch.ts')]);
  // An empty variable is one that is not set.
  const given = typeof url === 'string' ? url : process.env['SANDBOX_URL'] || undefined;
  const apiKey = process.env['SANDBOX_API_KEY'] || undefined;
  if (given !== undefined) return Sandbox.at({ url: given, apiKey, fetch: httpFetch });
  const { readStored } = await import('./stored.ts');
  const stored = await readStored();
  const { url: address, apiKey: key } = stored;
  return Sandbox.at({ ...(address !== undefined && { url: address, apiKey: apiKey ?? key }), fetch: httpFetch });
}

function failed(error: unknown, spec: CommandSpec | undefined): number {
  const { message, hint } = error as { readonly message?: string; readonly hint?: string | null };
  process.stderr.write(`sandbox: ${message ?? String(error)}\n`);
  if (hint) process.stderr.write(`${hint}\n`);
  if (!(error instanceof UsageError)) return 125;
  process.stderr.write(`sandbox ${spec?.name ?? ''} --help shows the usage\n`.replace('  ', ' '));
  return 2;
}
