import type { z } from 'zod';

/** A tool name of 1.x that another tool serves. */
export interface Alias {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  /** The tool that does the work. */
  readonly target: string;
  /** The arguments of the target for those of the alias. @throws ZodError */
  readonly args: (given: Record<string, unknown>) => Record<string, unknown>;
  /** Whether the target returns the value of a script, which is the answer alone. */
  readonly isScript: boolean;
}

/** @param args maps arguments that the schema has checked */
export function alias<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  target: string,
  args: (given: z.infer<S>) => Record<string, unknown>,
): Alias {
  return { name, description, schema, target, args: (given) => args(schema.parse(given)), isScript: false };
}

/** An alias that runs a script in the page. @param write returns the function as text */
export function script<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  write: (given: z.infer<S>) => string,
): Alias {
  const args = (given: z.infer<S>): Record<string, unknown> => ({ function: write(given) });
  return { ...alias(name, description, schema, 'browser_evaluate', args), isScript: true };
}
