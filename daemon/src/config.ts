import { type OptionShape, type OptionValues, readOptions } from '@sandbox/program/options.ts';
import { z } from 'zod';
import { CAPABILITIES } from './capabilities/index.ts';
import type { Capability } from './capability.ts';
import { keyOptions } from './core/access/key-options.ts';
import { CORE_OPTIONS, type CoreConfig, inheritedEnvironment } from './core/config.ts';
import { McpOptions } from './mcp/options.ts';
import type { Protocol } from './protocol.ts';
import { PROTOCOLS } from './protocols/index.ts';

type OptionsOf<C> = C extends Capability<infer O> | Protocol<infer O> ? OptionValues<O> : never;
/** The intersection of the members of a union. */
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer I) => void ? I : never;

/** The values of all options: the core's, the MCP hub's and those of every capability and protocol. */
export type Config = CoreConfig &
  McpOptions &
  Intersection<OptionsOf<(typeof CAPABILITIES)[number] | (typeof PROTOCOLS)[number]>>;

/** Every option of the daemon, for `--help`, the README's table and the checks at boot. */
export const DaemonOptions = optionsOf([...CAPABILITIES, ...PROTOCOLS]);

/**
 * The daemon's configuration.
 * @throws OptionError in one line that names the wrong option
 */
export function readConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = inheritedEnvironment(),
  options: z.ZodObject<OptionShape> = DaemonOptions,
): Config {
  const config = readOptions(options, argv, env) as Config;
  return { ...config, ...keyOptions(config) };
}

/** The options of the core, of the MCP hub and of these parts. @throws Error if two have one name */
export function optionsOf(parts: readonly Pick<Capability, 'name' | 'options'>[]): z.ZodObject<OptionShape> {
  const union: Record<string, z.ZodType> = { ...CORE_OPTIONS, ...McpOptions };
  for (const { name, options } of parts) {
    for (const [key, schema] of Object.entries(options)) {
      if (key in union) throw new Error(`the option ${key} of ${name} exists already`);
      union[key] = schema;
    }
  }
  return z.object(union);
}
