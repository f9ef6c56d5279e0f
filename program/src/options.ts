import { parseArgs } from 'node:util';
import { z } from 'zod';

/** The names of one option. Every option has an environment variable and a flag; the flag takes precedence. */
interface OptionNames {
  readonly env: string;
  /** Older names of the variable, read in this order if `env` is not set. */
  readonly aliases?: readonly string[];
  readonly flag: string;
  readonly description: string;
  /** Whether the value is a credential, which error messages must not contain. */
  readonly secret?: boolean;
}

/** An invalid option. The message is one line that names the option. */
export class OptionError extends Error {}

/** Gives an option its names: `named(z.string().optional(), { env: 'SVC_HOST', flag: 'host', … })`. */
export function named<S extends z.ZodType>(schema: S, names: OptionNames): S {
  return schema.meta({ ...names });
}

export function port(): z.ZodType<number, string> {
  return wholeNumber(0, 65_535);
}

export function wholeNumber(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d+$/, `expected a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `expected a whole number from ${min} to ${max}`);
}

export function seconds(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d+(\.\d+)?$/, `expected seconds from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `expected seconds from ${min} to ${max}`);
}

/** `true`, `1`, `yes`, `on` or their opposites, in any case. */
export function boolean(): z.ZodType<boolean, string> {
  return z.stringbool({ error: 'expected true or false' });
}

/** A comma-separated list; items are trimmed and empty items are dropped. */
export function list(): z.ZodType<string[], string> {
  return z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

/** A comma-separated list of distinct ports from 1 to 65535. */
export function ports(): z.ZodType<number[], string> {
  return list()
    .refine((items) => items.every(isPort), 'expected port numbers from 1 to 65535, comma separated')
    .transform((items) => [...new Set(items.map(Number))]);
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

/** Options by their names in the code. */
export type OptionShape = Readonly<Record<string, z.ZodType>>;

/** The values of options. */
export type OptionValues<S extends OptionShape> = { readonly [K in keyof S]: z.output<S[K]> };

/** The value of `*_PORT` that Kubernetes gives to the containers of a namespace with a Service of that name. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/**
 * Reads a program's options from flags and environment variables. An empty variable counts as unset, and so does a
 * service link of Kubernetes.
 * @throws OptionError for an unknown flag or the first invalid value
 */
export function readOptions<S extends OptionShape>(
  options: z.ZodObject<S>,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): z.infer<z.ZodObject<S>> {
  const flags = parseFlags(options.shape, argv);
  const given: Record<string, string> = {};
  for (const [key, schema] of Object.entries(options.shape)) {
    const names = namesOf(schema);
    const set = [names.env, ...(names.aliases ?? [])].filter((name) => env[name] && !isServiceLink(name, env));
    const value = flags[names.flag] ?? set.map((name) => env[name])[0];
    if (value !== undefined) given[key] = value;
  }
  const result = options.safeParse(given);
  if (result.success) return result.data;
  throw invalidValue(options.shape, given, result.error);
}

export const IGNORED_LINKS = 'ignored variables that Kubernetes set for a Service of that name';

/** Variables of options that Kubernetes set for a Service of that name (`GATEWAY_PORT=tcp://…`): they are ignored. */
export function serviceLinks(
  options: z.ZodObject<OptionShape>,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const names = Object.values(options.shape).map((schema) => namesOf(schema));
  return names.flatMap(({ env: name, aliases = [] }) => [name, ...aliases]).filter((name) => isServiceLink(name, env));
}

function isServiceLink(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return name.endsWith('_PORT') && SERVICE_LINK.test(env[name] ?? '');
}

/** One row per option, for `--help` and the tables of the documentation. */
export function describeOptions(
  options: z.ZodObject<OptionShape>,
): { env: string; aliases: readonly string[]; flag: string; fallback: string; description: string }[] {
  return Object.values(options.shape).map((schema) => {
    const { env, aliases = [], flag, description } = namesOf(schema);
    return {
      env,
      aliases,
      flag: `--${flag}`,
      fallback: formatValue(fallbackOf(schema)),
      description,
    };
  });
}

/** The default in the notation of the variable; the parsed value of a prefault may be an object. */
function fallbackOf(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodPrefault) return schema.def.defaultValue;
  const fallback = schema.safeParse(undefined);
  return fallback.success ? fallback.data : undefined;
}

export function helpText(usage: string, options: z.ZodObject<OptionShape>): string {
  const lines = describeOptions(options).map(
    ({ env, aliases, flag, fallback, description }) =>
      `  ${flag.padEnd(32)} ${[env, ...aliases].join(', ')}\n${' '.repeat(35)}${description}${fallback ? ` (default: ${fallback})` : ''}`,
  );
  return `${usage}\n\nOptions, each with its variable; the flag wins:\n${lines.join('\n')}\n`;
}

function parseFlags(shape: OptionShape, argv: readonly string[]): Record<string, string | undefined> {
  const known = Object.fromEntries(Object.values(shape).map((s) => [namesOf(s).flag, { type: 'string' as const }]));
  try {
    return parseArgs({ args: withBareBooleans(shape, argv), options: known, strict: true }).values;
  } catch (error) {
    throw new OptionError(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
}

/** `--flag` alone stands for `--flag=true` if the option is a boolean. */
function withBareBooleans(shape: OptionShape, argv: readonly string[]): string[] {
  const booleans = new Set(
    Object.values(shape)
      .filter((schema) => schema.safeParse('true').data === true)
      .map((schema) => `--${namesOf(schema).flag}`),
  );
  return argv.map((arg) => (booleans.has(arg) ? `${arg}=true` : arg));
}

function invalidValue(shape: OptionShape, given: Record<string, string>, error: z.ZodError): OptionError {
  const issue = error.issues[0];
  const key = String(issue?.path[0] ?? '');
  const schema = shape[key];
  if (!schema) return new OptionError(issue?.message ?? 'invalid options');
  const { env, flag, secret } = namesOf(schema);
  const value = given[key] === undefined || secret ? '' : `, got ${JSON.stringify(given[key])}`;
  return new OptionError(`${env} (--${flag}): ${issue?.message}${value}`);
}

function namesOf(schema: z.ZodType): OptionNames {
  const names = z.globalRegistry.get(schema) as OptionNames | undefined;
  if (!names?.env) throw new TypeError('an option without names');
  return names;
}

function formatValue(value: unknown): string {
  if (value === undefined || value === '') return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}
